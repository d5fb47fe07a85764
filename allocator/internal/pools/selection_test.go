// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/pools"
)

// Node n1 is in zone a.
func TestNodeSelectionOfASlice(t *testing.T) {
	empty := func(s *resourceapi.ResourceSliceSpec) { s.NodeName = ptr.To("") }
	notAll := func(s *resourceapi.ResourceSliceSpec) { s.AllNodes = ptr.To(false) }
	bad := func(s *resourceapi.ResourceSliceSpec) { s.NodeSelector = unreadable() }
	for name, test := range map[string]struct {
		where []change
		want  string
	}{
		"by the name of the node":                {[]change{local("n1")}, "p: a/x"},
		"by the name of another node":            {[]change{local("n2")}, ""},
		"all nodes":                              {[]change{everywhere}, "p: a/x"},
		"not all nodes":                          {[]change{notAll}, ""},
		"a selector that matches":                {[]change{inZone("a")}, "p: a/x"},
		"a selector that does not match":         {[]change{inZone("b")}, ""},
		"nothing":                                {nil, ""},
		"an empty name":                          {[]change{empty}, ""},
		"an empty name and all nodes":            {[]change{empty, everywhere}, "p: a/x"},
		"not all nodes and a selector":           {[]change{notAll, inZone("a")}, "p: a/x"},
		"all nodes and a selector":               {[]change{everywhere, inZone("b")}, "p: a/x"},
		"another node and all nodes":             {[]change{local("n2"), everywhere}, ""},
		"a selector that cannot be read":         {[]change{bad}, `failed to perform node selection for slice a: `},
		"one that cannot be read, for all nodes": {[]change{everywhere, bad}, "p: a/x"},
	} {
		t.Run(name, func(t *testing.T) {
			got := sees(partitionable, published{slice("a", append(test.where, with("x"))...)}, node("n1", "a"))
			if test.want == "" || test.want[0] == 'p' {
				NewWithT(t).Expect(got).To(Equal(test.want))
			} else {
				NewWithT(t).Expect(got).To(HavePrefix(test.want))
			}
		})
	}
}

// A node without labels is in no zone. Two nodes that differ only in labels have different views.
func TestNodesDifferByTheSelectorsThatMatch(t *testing.T) {
	g := NewWithT(t)
	list := published{slice("a", inZone("a"), with("x")), slice("b", pool("q", 1, 1), inZone("b"), with("y")), slice("c", pool("r", 1, 1), local("n1"), with("z"))}
	inventory := pools.NewInventory(partitionable, list, nil)
	for _, test := range []struct {
		node *corev1.Node
		want []string
	}{
		{node("n1", "a"), []string{"p: a/x", "r: c/z"}},
		{node("n1", "b"), []string{"q: b/y", "r: c/z"}},
		{node("n1"), []string{"r: c/z"}},
		{node("n2", "a"), []string{"p: a/x"}},
		{node("n3", "b"), []string{"q: b/y"}},
		{node("n4"), []string{}},
	} {
		g.Expect(inventory.Node(test.node)).To(WithTransform(picture, Equal(test.want)))
	}
}

func TestNodesWithTheSameSlicesShareAView(t *testing.T) {
	g := NewWithT(t)
	list := published{
		slice("a", inZone("a"), with("x")), slice("b", pool("q", 1, 1), local("n1"), with("y")),
		slice("c", pool("r", 1, 1), perDevice, with("z", onNode("n2"))),
	}
	inventory := pools.NewInventory(partitionable, list, nil)
	view := func(n *corev1.Node) *pools.Node {
		v, err := inventory.Node(n)
		g.Expect(err).NotTo(HaveOccurred())
		return v
	}
	g.Expect(view(node("n3", "a"))).To(BeIdenticalTo(view(node("n4", "a"))))
	g.Expect(view(node("n3", "a"))).NotTo(BeIdenticalTo(view(node("n4", "b"))))
	for name, own := range map[string]bool{"n1": true, "n2": true, "n3": false} {
		g.Expect(view(node(name, "a")).Own).To(Equal(own), "%s is named by a slice or device", name)
		g.Expect(view(node(name, "a"))).To(BeIdenticalTo(view(node(name, "a"))), name)
	}
}

// Each device may have its own node selection (KEP-4815, multi-host devices). Node n1 is in zone a.
func TestNodeSelectionOfDevices(t *testing.T) {
	bad := onNodes(unreadable())
	for name, test := range map[string]struct {
		slice *resourceapi.ResourceSlice
		want  string
	}{
		"by name":                      {slice("a", perDevice, with("x", onNode("n1")), with("y", onNode("n2"))), "p: a/x"},
		"all nodes":                    {slice("a", perDevice, with("x", onAllNodes), with("y")), "p: a/x"},
		"by selector":                  {slice("a", perDevice, with("x", onNodes(zoneIs("b"))), with("y", onNodes(zoneIs("a")))), "p: a/y"},
		"the name before the selector": {slice("a", perDevice, with("w", onAllNodes), with("x", onNode("n2"), onNodes(zoneIs("a")))), "p: a/w"},
		"no device matches the node":   {slice("a", perDevice, with("x", onNode("n2")), with("y")), ""},
		"no device at all":             {slice("a", perDevice), ""},
		"not all nodes and a selector": {
			slice("a", perDevice, with("x", onAllNodes), with("y", onNodes(zoneIs("b")), func(d *resourceapi.Device) { d.AllNodes = ptr.To(false) })), "p: a/x",
		},
		"a slice that is not for all nodes with per-device node selection": {
			slice("a", perDevice, func(s *resourceapi.ResourceSliceSpec) { s.AllNodes = ptr.To(false) }, with("x", onNode("n1"))), "p: a/x",
		},
		"devices of a slice with a node selection of its own are not selected separately": {
			slice("a", everywhere, with("x", onNode("n2"))), "p: a/x",
		},
		"a selector that cannot be read, before one that matches": {
			slice("a", perDevice, with("x", bad), with("y", onNode("n1"))), "failed to perform node selection for device x in slice a: ",
		},
		"a selector that cannot be read, behind one that matches": {
			slice("a", perDevice, with("x", onNode("n1")), with("y", bad)), "p: a/x a/y!",
		},
		"devices of a slice of the node with their own selection": {
			slice("a", local("n1"), perDevice, with("x", onNode("n1")), with("y", onNode("n2")), with("z", bad)), "p: a/x a/z!",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := sees(partitionable, published{test.slice}, node("n1", "a"))
			if test.want == "" || test.want[0] == 'p' {
				NewWithT(t).Expect(got).To(Equal(test.want))
			} else {
				NewWithT(t).Expect(got).To(HavePrefix(test.want))
			}
		})
	}
}

func TestSelectionError(t *testing.T) {
	g := NewWithT(t)
	list := published{slice("a", perDevice, with("x", onNode("n1")), with("y", onNodes(unreadable())))}
	view, err := pools.NewInventory(partitionable, list, nil).Node(node("n1"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(view.Words[0].Slice.SelectionError(0)).NotTo(HaveOccurred())
	g.Expect(view.Words[0].Slice.SelectionError(1)).To(MatchError(ContainSubstring(`Unsupported value: "Near"`)))
}

// A word has 64 devices, and a slice begins with a new word.
func TestWordsCoverEveryDeviceOnce(t *testing.T) {
	g := NewWithT(t)
	many := []change{local("n1"), of(1, 3)}
	for i := range 65 {
		many = append(many, with(string(rune('A'+i))))
	}
	list := published{slice("a", many...), slice("b", local("n1"), of(1, 3)), slice("c", local("n1"), of(1, 3), with("last"))}
	view, err := pools.NewInventory(partitionable, list, nil).Node(node("n1"))
	g.Expect(err).NotTo(HaveOccurred())
	type word struct {
		slice string
		first int
		reach uint64
	}
	var words []word
	for _, w := range view.Words {
		words = append(words, word{w.Slice.API.Name, w.First, w.Reach})
	}
	g.Expect(words).To(Equal([]word{{"a", 0, ^uint64(0)}, {"a", 64, 1}, {"c", 0, 1}}))
}

// Seen returns the input of Node: slices of all generations, without slices that need a disabled feature.
func TestSeenSlicesMatchTheNode(t *testing.T) {
	list := published{
		slice("old", local("n1"), of(1, 1)), slice("new", local("n1"), of(2, 1)), slice("other", local("n2"), of(2, 1)),
		slice("zone", inZone("a")), slice("counters", everywhere, counters("s", "memory")), slice("own", local("n1"), counters("s", "memory")),
		slice("device", perDevice, with("x", onNode("n2")), with("y", onNode("n1"))), slice("unknown"),
	}
	for name, test := range map[string]struct {
		settings pools.Settings
		want     []string
	}{
		"with the feature": {partitionable, []string{"old", "new", "own", "zone", "counters", "device"}},
		"without":          {pools.Settings{}, []string{"old", "new", "zone"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			seen, err := pools.NewInventory(test.settings, list, nil).Seen(node("n1", "a"))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(seen).To(HaveEach(BeElementOf(list)))
			var names []string
			for _, s := range seen {
				names = append(names, s.Name)
			}
			g.Expect(names).To(Equal(test.want))
		})
	}
}

func TestSeenFailsAsNodeDoes(t *testing.T) {
	g := NewWithT(t)
	inventory := pools.NewInventory(partitionable, published{slice("a", perDevice, with("x", onNodes(unreadable())))}, nil)
	_, want := inventory.Node(node("n1"))
	_, err := inventory.Seen(node("n1"))
	g.Expect(want).To(HaveOccurred())
	g.Expect(err).To(MatchError(want.Error()))
}
