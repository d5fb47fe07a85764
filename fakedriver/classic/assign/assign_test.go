// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package assign

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/fakedriver/classic/internal/killable"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
	"github.com/draconform/draconform/fakedriver/classic/ledger"
)

// newAssigner returns an assigner in a cluster with the nodes n1 and n2, and one of the control
// plane, in which all claims exist.
func newAssigner(devices inventory.Inventory) *Assigner {
	server := killable.New()
	for name, labels := range map[string]map[string]string{"control-plane": {controlPlane: ""}, "n1": {"name": "n1"}, "n2": {"name": "n2"}} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
		if err := server.Client.Tracker().Add(node); err != nil {
			panic(err) // The test fails.
		}
	}
	return &Assigner{
		Client: server.Client, Inventory: func() inventory.Inventory { return devices },
		Ledger: ledger.Ledger{Client: server.Client, Namespace: "default", Name: "drv.example.com"},
		Claim: func(_ context.Context, _, name string) (*metav1.ObjectMeta, error) {
			return &metav1.ObjectMeta{UID: types.UID("uid-" + name)}, nil
		},
	}
}

func claimNamed(name string) Claim {
	return Claim{Claim: ledger.Claim{Namespace: "default", Name: name, UID: types.UID("uid-" + name)}, Count: 1}
}

// A claim that may be anywhere gets a device of the first node that has one, but not of the control
// plane, where its pod could not run.
func TestAssignAnywhere(t *testing.T) {
	g := NewWithT(t)
	a := newAssigner(inventory.Inventory{PerNode: 1})
	for _, step := range []struct{ claim, node string }{{"a", "n1"}, {"b", "n2"}, {"a", "n1"}} {
		node, devices, err := a.AssignAnywhere(t.Context(), claimNamed(step.claim))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(node).To(Equal(step.node))
		g.Expect(devices).To(Equal([]inventory.Device{{Pool: step.node, Name: "device-0"}}))
	}
	_, _, err := a.AssignAnywhere(t.Context(), claimNamed("c"))
	g.Expect(err).To(MatchError(ContainSubstring("resources exhausted on node")))
}

// A claim that can do without devices goes without only if no node has any.
func TestAssignAnywherePrefersDevices(t *testing.T) {
	g := NewWithT(t)
	a := newAssigner(inventory.Inventory{PerNode: 1})
	for _, step := range []struct {
		claim string
		want  []inventory.Device
	}{{"a", []inventory.Device{{Pool: "n1", Name: "device-0"}}}, {"b", []inventory.Device{{Pool: "n2", Name: "device-0"}}}, {"c", nil}} {
		optional := claimNamed(step.claim)
		optional.Optional = true
		_, devices, err := a.AssignAnywhere(t.Context(), optional)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(devices).To(Equal(step.want), step.claim)
	}
}

// A claim that holds a device, because the driver was killed, keeps it although another
// node comes first.
func TestAssignAnywhereKeepsDevices(t *testing.T) {
	g := NewWithT(t)
	a := newAssigner(inventory.Inventory{PerNode: 1})
	_, err := a.Assign(t.Context(), []Claim{claimNamed("a")}, "n2")
	g.Expect(err).NotTo(HaveOccurred())
	node, _, err := a.AssignAnywhere(t.Context(), claimNamed("a"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(node).To(Equal("n2"))
}

// Without a node there are no devices, and parameters exclude nodes.
func TestAssignAnywhereFails(t *testing.T) {
	g := NewWithT(t)
	a := newAssigner(inventory.Inventory{PerNode: 1, Nodes: map[string]string{"name": "n2"}})
	claim := claimNamed("a")
	claim.Nodes = []string{"n1"}
	_, _, err := a.AssignAnywhere(t.Context(), claim)
	g.Expect(err).To(MatchError(`the parameters exclude node "n2": they allow [n1]`))
	a.Client = killable.New().Client
	_, _, err = a.AssignAnywhere(t.Context(), claim)
	g.Expect(err).To(MatchError("there are no nodes"))
}

// Claims of a pod get devices together, or none.
func TestAssignAllOrNone(t *testing.T) {
	g := NewWithT(t)
	a := newAssigner(inventory.Inventory{PerNode: 1})
	_, err := a.Assign(t.Context(), []Claim{claimNamed("a"), claimNamed("b")}, "n1")
	g.Expect(err).To(MatchError(ContainSubstring("1 of 1 devices are in use, 1 are requested")))
	held, err := a.Ledger.Read(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(held).To(BeEmpty())
	unsuitable, err := a.Unsuitable(t.Context(), []Claim{claimNamed("a")}, []string{"n1", "gone"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(unsuitable).To(Equal([]string{"gone"}))
}

// Where devices are available depends on whose they are.
func TestNodeSelector(t *testing.T) {
	g := NewWithT(t)
	g.Expect(newAssigner(inventory.Inventory{Network: 1}).NodeSelector("n1")).To(BeNil())
	of := newAssigner(inventory.Inventory{PerNode: 1, Nodes: map[string]string{"rack": "1"}}).NodeSelector("n1")
	g.Expect(of.NodeSelectorTerms).To(HaveLen(1))
	g.Expect(of.NodeSelectorTerms[0].MatchFields[0].Values).To(Equal([]string{"n1"}))
	g.Expect(of.NodeSelectorTerms[0].MatchExpressions[0].Key).To(Equal("rack"))
}
