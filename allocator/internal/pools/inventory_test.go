// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools_test

import (
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/allocator/internal/pools"
)

// twoPools returns pool p for node n1 and pool q for nodes n1 and n2.
func twoPools() published {
	return published{
		slice("a", local("n1"), pool("p", 1, 1), with("x")),
		slice("b", local("n1"), pool("q", 1, 2), with("y")), slice("c", local("n2"), pool("q", 1, 2), with("z")),
	}
}

// byName returns the pool views of node n1 by pool name, and the slices with devices by slice name.
func byName(g Gomega, inventory *pools.Inventory) (map[string]*pools.View, map[string]*pools.Slice) {
	views, parts := map[string]*pools.View{}, map[string]*pools.Slice{}
	node, err := inventory.Node(node("n1"))
	g.Expect(err).NotTo(HaveOccurred())
	for i := range node.Pools {
		views[node.Pools[i].Pool] = node.Pools[i].View
	}
	for i := range node.Words {
		parts[node.Words[i].Slice.API.Name] = node.Words[i].Slice
	}
	return views, parts
}

func TestUpdateKeepsWhatDidNotChange(t *testing.T) {
	g := NewWithT(t)
	list := twoPools()
	before := pools.NewInventory(partitionable, list, nil)
	views, parts := byName(g, before)

	changed := published{list[0].DeepCopy(), list[1], list[2]}
	after := pools.NewInventory(partitionable, changed, before)
	newViews, newParts := byName(g, after)
	g.Expect(newViews["q"]).To(BeIdenticalTo(views["q"]), "pool q is unchanged")
	g.Expect(newParts["b"]).To(BeIdenticalTo(parts["b"]), "slice b is unchanged")
	g.Expect(newViews["p"]).NotTo(BeIdenticalTo(views["p"]), "pool p has a new slice")
	g.Expect(newParts["a"]).NotTo(BeIdenticalTo(parts["a"]), "slice a is a new object, if an equal one")
}

func TestUpdateElsewhereChangesThePool(t *testing.T) {
	for name, test := range map[string]struct {
		change func(published) published
		want   []string
	}{
		"a slice of the other node is deleted": {func(l published) published { return l[:2] }, []string{"p: a/x", "q incomplete"}},
		"a newer generation on the other node": {
			func(l published) published {
				return append(l, slice("d", local("n2"), pool("q", 2, 1), with("z")))
			}, []string{"p: a/x"},
		},
		"the other slice makes the pool invalid": {
			func(l published) published {
				return published{l[0], l[1], slice("c", local("n2"), pool("q", 1, 2), with("z", consumes("s", "memory", "1")))}
			}, []string{"p: a/x", "q invalid: counter set s not found"},
		},
		"the slices come in another order": {
			func(l published) published { return published{l[2], l[1], l[0]} }, []string{"p: a/x", "q: b/y"},
		},
		"the pool is deleted":    {func(l published) published { return l[:1] }, []string{"p: a/x"}},
		"all slices are deleted": {func(published) published { return nil }, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			before := pools.NewInventory(partitionable, twoPools(), nil)
			g.Expect(before.Node(node("n1"))).To(WithTransform(picture, Equal([]string{"p: a/x", "q: b/y"})))
			after := pools.NewInventory(partitionable, test.change(before.List()), before)
			g.Expect(after.Node(node("n1"))).To(WithTransform(picture, Equal(test.want)))
			g.Expect(before.Node(node("n1"))).To(WithTransform(picture, Equal([]string{"p: a/x", "q: b/y"})), "the previous inventory is unchanged")
		})
	}
}

// A column is kept as long as its slice, even if the pool changes.
func TestComputedPropertiesOfASliceAreKept(t *testing.T) {
	g := NewWithT(t)
	list, created := twoPools(), 0
	inventory := pools.NewInventory(partitionable, list, nil)
	type key struct{}
	column := func() any {
		_, parts := byName(g, inventory)
		return parts["b"].Column(key{}, func() any { created++; return created })
	}
	g.Expect(column()).To(Equal(1))
	g.Expect(column()).To(Equal(1))

	list = published{list[0], list[1], slice("c", local("n2"), pool("q", 1, 2), with("z2"))}
	inventory = pools.NewInventory(partitionable, list, inventory)
	g.Expect(column()).To(Equal(1), "pool q changed, slice b did not")

	list = published{list[0], list[1].DeepCopy(), list[2]}
	inventory = pools.NewInventory(partitionable, list, inventory)
	g.Expect(column()).To(Equal(2), "slice b is a new object")
}

func TestColumnIsCreatedOnce(t *testing.T) {
	g := NewWithT(t)
	inventory := pools.NewInventory(partitionable, twoPools(), nil)
	_, parts := byName(g, inventory)
	columns := make([]any, 8)
	var wait sync.WaitGroup
	for i := range columns {
		wait.Go(func() { columns[i] = parts["a"].Column("key", func() any { return new(int) }) })
	}
	wait.Wait()
	g.Expect(columns).To(HaveEach(BeIdenticalTo(columns[0])))
	g.Expect(parts["b"].Column("key", func() any { return "other" })).To(Equal("other"), "slices do not share columns")
}

func TestSameMeansTheSameObjectsInTheSameOrder(t *testing.T) {
	g := NewWithT(t)
	list := twoPools()
	inventory := pools.NewInventory(partitionable, list, nil)
	g.Expect(inventory.Same(published{list[0], list[1], list[2]})).To(BeTrue())
	g.Expect(inventory.Same(published{list[0], list[2], list[1]})).To(BeFalse())
	g.Expect(inventory.Same(published{list[0].DeepCopy(), list[1], list[2]})).To(BeFalse())
	g.Expect(inventory.Same(list[:2])).To(BeFalse())
}

// The same object may be listed twice. It then counts as two slices of the pool, as in upstream.
func TestUpdateWithASliceThatIsListedTwice(t *testing.T) {
	g := NewWithT(t)
	a := slice("a", local("n1"), of(1, 1), with("x"))
	before := pools.NewInventory(partitionable, published{a, a}, nil)
	g.Expect(before.Node(node("n1"))).To(WithTransform(picture, Equal([]string{"p incomplete"})))
	after := pools.NewInventory(partitionable, published{a, slice("b", local("n1"), pool("q", 1, 1), with("y")), slice("c", local("n2"), pool("r", 1, 1))}, before)
	g.Expect(after.Node(node("n1"))).To(WithTransform(picture, Equal([]string{"p: a/x", "q: b/y"})))
}
