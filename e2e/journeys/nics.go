package journeys

import (
	"encoding/json"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/fakedriver/affinity"
)

// inSubnet returns a claim for a share of the device of nic.yaml with this
// capacity. The claim has a subnet as affinity value (KEP-5981).
func (n *gpuNodes) inSubnet(capacity, subnet string) resourceapi.DeviceClaim {
	claim := devices.NewDeviceClaim(n.deviceWith(capacity, "4"))
	parameters, err := json.Marshal(map[string]any{
		"apiVersion": affinity.EntryAPIVersion, "kind": affinity.EntryKind,
		"attributes": map[string]any{"nic.draconform.dev/subnet": map[string]any{"string": subnet}},
	})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	claim.Config = []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: resourceapi.DeviceConfiguration{
		Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: affinity.EntryDriver, Parameters: runtime.RawExtension{Raw: parameters}},
	}}}
	return claim
}
