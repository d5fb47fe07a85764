// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestChoose(t *testing.T) {
	n1 := Node{Name: "n1", Labels: map[string]string{"rack": "1"}}
	for name, test := range map[string]struct {
		inventory Inventory
		node      Node
		count     int
		used      []Device
		want      []Device
		err       string
	}{
		"a device of the node":             {Inventory{PerNode: 2}, n1, 1, []Device{{"n1", "device-0"}}, []Device{{"n1", "device-1"}}, ""},
		"devices of other nodes":           {Inventory{PerNode: 1}, n1, 1, []Device{{"n2", "device-0"}}, []Device{{"n1", "device-0"}}, ""},
		"a full node":                      {Inventory{PerNode: 1}, n1, 1, []Device{{"n1", "device-0"}}, nil, `resources exhausted on node "n1": 1 of 1 devices are in use, 1 are requested`},
		"a limit of the cluster":           {Inventory{PerNode: 2, Limit: 1}, n1, 1, []Device{{"n2", "device-0"}}, nil, "resources exhausted in the cluster: 1 of 1 devices are in use, 1 are requested"},
		"the network":                      {Inventory{Network: 2}, n1, 2, nil, []Device{{"network", "device-0"}, {"network", "device-1"}}, ""},
		"a full network":                   {Inventory{Network: 1}, n1, 2, nil, nil, "resources exhausted in the cluster: 0 of 1 devices are in use, 2 are requested"},
		"a node with the labels":           {Inventory{PerNode: 1, Nodes: n1.Labels}, n1, 1, nil, []Device{{"n1", "device-0"}}, ""},
		"a node without the labels":        {Inventory{PerNode: 1, Nodes: n1.Labels}, Node{Name: "n2"}, 1, nil, nil, `node "n2" has no devices: it does not have the labels rack=1`},
		"a node that is not connected":     {Inventory{Network: 1, Nodes: n1.Labels}, Node{Name: "n2"}, 1, nil, nil, `node "n2" has no devices: it does not have the labels rack=1`},
		"a claim without requests":         {Inventory{PerNode: 1}, n1, 0, nil, []Device{}, ""},
		"nothing at all, on an empty node": {Inventory{}, n1, 1, nil, nil, "resources exhausted in the cluster: 0 of 0 devices are in use, 1 are requested"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			used := map[Device]bool{}
			for _, d := range test.used {
				used[d] = true
			}
			got, err := test.inventory.Choose(test.node, test.count, used)
			if test.err != "" {
				g.Expect(err).To(MatchError(test.err))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(test.want))
		})
	}
}

func TestValidate(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Inventory{PerNode: 1, Limit: 3}.Validate()).To(Succeed())
	g.Expect(Inventory{Network: 1, PerNode: 1}.Validate()).To(MatchError(ContainSubstring("either of the network or of nodes")))
	g.Expect(Inventory{Network: -1}.Validate()).To(MatchError(ContainSubstring("must not be negative")))
	g.Expect(Inventory{Network: 1, Limit: 1}.Validate()).To(MatchError(ContainSubstring("limit 1 is for devices of nodes")))
}

func opaque(driver, parameters string) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: driver, Parameters: runtime.RawExtension{Raw: []byte(parameters)}}}
}

// Parameters of the claim are added to those of the class, and those for other drivers
// are ignored.
func TestReadAddsParametersOfClaimsToThoseOfClasses(t *testing.T) {
	g := NewWithT(t)
	classes := map[string]*resourceapi.DeviceClass{"class": {Spec: resourceapi.DeviceClassSpec{Config: []resourceapi.DeviceClassConfiguration{
		{DeviceConfiguration: opaque("drv.example.com", `{"nodes": ["n1"]}`)},
		{DeviceConfiguration: opaque("other.example.com", `{"nodes": []}`)},
	}}}}
	claim := &resourceapi.ResourceClaim{Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{
		Requests: []resourceapi.DeviceRequest{{Name: "r", DeviceClassName: "class", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 2}},
		Config:   []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: opaque("drv.example.com", `{"optional": true}`)}},
	}}}
	r, err := Read("drv.example.com", claim, classes)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Names).To(Equal([]string{"r", "r"}))
	g.Expect(r.Optional).To(BeTrue())
	g.Expect(r.Config).To(HaveLen(2))
	g.Expect(r.Allows("n1")).To(Succeed())
	g.Expect(r.Allows("n2")).To(MatchError(`the parameters exclude node "n2": they allow [n1]`))

	claim.Spec.Devices.Requests[0].AllocationMode = resourceapi.DeviceAllocationModeAll
	_, err = Read("drv.example.com", claim, classes)
	g.Expect(err).To(MatchError("request r: allocation mode All is not supported"))
}
