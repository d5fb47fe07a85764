// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"testing"

	. "github.com/onsi/gomega"
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
