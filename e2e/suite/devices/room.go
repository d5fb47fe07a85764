// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/internal/rules"
)

// LackingRoom states which capacity of a device does not suffice for further shares of it,
// beside those of the claims of all namespaces. It is empty if all do, so that a spec may
// allocate them.
func LackingRoom(ctx context.Context, e *env.Env, shares []resourceapi.DeviceRequestAllocationResult) string {
	ginkgo.GinkgoHelper()
	of := shares[0]
	published, err := ListSlices(ctx, e, of.Driver)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	all, err := e.Client.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	for i := range all.Items {
		if allocation := all.Items[i].Status.Allocation; allocation != nil {
			shares = append(slices.Clip(shares), allocation.Devices.Results...)
		}
	}
	pool := newPools(published)[of.Pool]
	if pool == nil {
		return fmt.Sprintf("driver %s does not publish pool %s any more", of.Driver, of.Pool)
	}
	for _, device := range pool.Devices() {
		if device.Name != of.Device {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(device.Capacity)) {
			has := device.Capacity[name].Value
			if needed := consumedOf(of, name, shares); needed.Cmp(has) > 0 {
				return fmt.Sprintf("capacity %s of device %s is %s, and %s of it would be consumed", name, device.Name, has.String(), needed.String())
			}
		}
	}
	return ""
}

// consumedOf returns how much of a capacity of a device those of the shares consume that are
// of this device.
func consumedOf(of resourceapi.DeviceRequestAllocationResult, name resourceapi.QualifiedName, shares []resourceapi.DeviceRequestAllocationResult) *resource.Quantity {
	sum := &resource.Quantity{}
	for _, share := range shares {
		if share.Driver != of.Driver || share.Pool != of.Pool || share.Device != of.Device || ptr.Deref(share.AdminAccess, false) {
			continue
		}
		if consumed, ok := rules.Lookup(share.ConsumedCapacity, of.Driver, string(name)); ok {
			sum.Add(consumed)
		}
	}
	return sum
}
