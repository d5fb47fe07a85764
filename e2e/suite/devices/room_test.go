// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

func TestSharesOfADeviceConsumeItsCapacity(t *testing.T) {
	g := NewWithT(t)
	share := func(device string, name resourceapi.QualifiedName, amount string) resourceapi.DeviceRequestAllocationResult {
		return resourceapi.DeviceRequestAllocationResult{
			Driver: "nic.example.com", Pool: "pool", Device: device,
			ConsumedCapacity: map[resourceapi.QualifiedName]resource.Quantity{name: resource.MustParse(amount)},
		}
	}
	monitor := share("nic", "slots", "8")
	monitor.AdminAccess = ptr.To(true)
	all := []resourceapi.DeviceRequestAllocationResult{
		share("nic", "slots", "1"), share("nic", "nic.example.com/slots", "2"), share("nic", "memory", "4"), share("other", "slots", "16"), monitor,
	}
	g.Expect(consumedOf(all[0], "slots", all).String()).To(Equal("3"))
}
