// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools_test

import (
	"fmt"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/allocator/internal/pools"
)

// uses formats the consumption of the devices of a core: "slice/device set.counter=amount", and groups as
// "set[names]".
func uses(core *pools.Core) []string {
	var lines []string
	core.Each(func(slice *pools.Slice, devices []pools.Consumption) {
		for i := range devices {
			line := slice.API.Name + "/" + slice.API.Spec.Devices[i].Name
			for _, d := range devices[i].Deltas {
				q, c := d.Amount.Quantity(), core.Counters[d.Counter]
				line += fmt.Sprintf(" %s.%s=%s", c.SetName, c.Name, q.String())
			}
			for _, g := range devices[i].Groups {
				if len(g.Names) > 0 {
					line += fmt.Sprintf(" %d%v", g.Set, g.Names)
				}
			}
			lines = append(lines, line)
		}
	})
	slices.Sort(lines)
	return lines
}

func coreOf(g Gomega, inventory *pools.Inventory, name string) *pools.Core {
	view, err := inventory.Node(node(name))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(view.Pools).To(HaveLen(1))
	g.Expect(view.Pools[0].Invalid).To(BeEmpty())
	return view.Pools[0].Core
}

func TestCoreHasCountersAndConsumption(t *testing.T) {
	g := NewWithT(t)
	several := func(s *resourceapi.ResourceSliceSpec) {
		s.SharedCounters = []resourceapi.CounterSet{
			{Name: "gpu-1", Counters: map[string]resourceapi.Counter{"memory": {Value: resource.MustParse("40Gi")}, "cores": {Value: resource.MustParse("7")}}},
			{Name: "gpu-0", Counters: amount("memory", "500m")},
		}
	}
	list := published{
		slice("counters", local("n1"), of(1, 2), several),
		slice("devices", local("n1"), of(1, 2), with("free"),
			with("x", consumes("gpu-0", "memory", "250m", "a", "b"), consumes("gpu-1", "memory", "1Gi")),
			with("y", consumes("gpu-1", "cores", "3", "c"))),
	}
	settings := partitionable
	settings.Features.CompatibilityGroups = true
	core := coreOf(g, pools.NewInventory(settings, list, nil), "n1")
	g.Expect(core.Sets).To(Equal(2))
	var counters []string
	for _, c := range core.Counters {
		total := c.Total.Quantity()
		counters = append(counters, fmt.Sprintf("%d %s.%s=%s", c.Set, c.SetName, c.Name, total.String()))
	}
	g.Expect(counters).To(Equal([]string{"0 gpu-1.cores=7", "0 gpu-1.memory=42949672960", "1 gpu-0.memory=500m"}))
	g.Expect(uses(core)).To(Equal([]string{
		"devices/free", "devices/x gpu-1.memory=1073741824 gpu-0.memory=250m 1[a b]", "devices/y gpu-1.cores=3 0[c]",
	}))
}

func TestPoolWithoutConsumersHasNoCore(t *testing.T) {
	g := NewWithT(t)
	list := published{slice("c", local("n1"), of(1, 2), counters("s", "memory")), slice("d", local("n1"), of(1, 2), with("x"))}
	g.Expect(coreOf(g, pools.NewInventory(partitionable, list, nil), "n1")).To(BeNil())
}

// The consumption of a device of another node reduces the counters for this node too.
func TestNodesOfAGenerationShareTheCountersOfItsPool(t *testing.T) {
	g := NewWithT(t)
	list := published{
		slice("c", everywhere, of(1, 3), counters("s", "memory")),
		slice("d", local("n1"), of(1, 3), with("x", consumes("s", "memory", "1"))),
		slice("e", local("n2"), of(1, 3), with("y", consumes("s", "memory", "2"))),
	}
	inventory := pools.NewInventory(partitionable, list, nil)
	core := coreOf(g, inventory, "n1")
	g.Expect(uses(core)).To(Equal([]string{"d/x s.memory=1", "e/y s.memory=2"}))
	g.Expect(coreOf(g, inventory, "n2")).To(BeIdenticalTo(core))
}

// Node n1 sees all slices of the older generation, so newer generations for other nodes do not affect it.
func TestGenerationsOfAPoolHaveCountersOfTheirOwn(t *testing.T) {
	g := NewWithT(t)
	var list published
	for i, name := range []string{"n1", "n2"} {
		generation := of(int64(i), 2)
		list = append(list, slice(name+"-c", local(name), generation, counters("s", "memory")),
			slice(name+"-d", local(name), generation, with("x", consumes("s", "memory", fmt.Sprint(i+1)))))
	}
	inventory := pools.NewInventory(partitionable, list, nil)
	g.Expect(uses(coreOf(g, inventory, "n1"))).To(Equal([]string{"n1-d/x s.memory=1"}))
	g.Expect(uses(coreOf(g, inventory, "n2"))).To(Equal([]string{"n2-d/x s.memory=2"}))
}

// Up to Kubernetes 1.34, drivers published counters in the same slice as the devices that consume them. Such
// counters belong to that slice.
func TestSlicesWithCountersAndDevices(t *testing.T) {
	n1, two := local("n1"), of(1, 2)
	mixed := func(name, device string, more ...change) *resourceapi.ResourceSlice {
		return slice(name, append([]change{n1, two, counters("s", "memory"), with(device, consumes("s", "memory", "1"))}, more...)...)
	}
	older := partitionable
	older.SameSliceCounters = true
	for name, test := range map[string]struct {
		settings pools.Settings
		slices   published
		want     string
		uses     []string
	}{
		"today the devices cannot be allocated": {partitionable, published{slice("a", n1, counters("s", "memory"), with("x", consumes("s", "memory", "1")))}, "p:", nil},
		"today the counters are for other slices": {
			partitionable, published{mixed("a", "x"), slice("b", n1, two, with("y", consumes("s", "memory", "2")))}, "p: b/y", []string{"b/y s.memory=2"},
		},
		"today the names of the devices do not count": {partitionable, published{mixed("a", "x"), slice("b", n1, two, with("x"))}, "p: b/x", nil},
		"today a set may be in one slice only":        {partitionable, published{mixed("a", "x"), mixed("b", "y")}, "p invalid: duplicate counter set name s", nil},
		"before, each slice had its own set": {
			older, published{mixed("a", "x"), mixed("b", "y")}, "p: a/x b/y", []string{"a/x s.memory=1", "b/y s.memory=1"},
		},
		"before, other slices could not use it": {
			older, published{mixed("a", "x"), slice("b", n1, two, with("y", consumes("s", "memory", "2")))}, "p invalid: counter set s not found", nil,
		},
		"before, no set could be there twice in a slice": {
			older, published{slice("a", n1, counters("s", "memory"), counters("s", "memory"), with("x"))}, "p invalid: duplicate counter set name s", nil,
		},
		"before, the names of the devices counted": {older, published{mixed("a", "x"), slice("b", n1, two, with("x"))}, "p invalid: duplicate device name x", nil},
		"a slice for counters alone is for the pool even so": {
			older, published{slice("c", n1, two, counters("s", "memory")), slice("d", n1, two, with("x", consumes("s", "memory", "1")))}, "p: d/x", []string{"d/x s.memory=1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(sees(test.settings, test.slices, node("n1"))).To(Equal(test.want))
			if test.uses != nil {
				g.Expect(uses(coreOf(g, pools.NewInventory(test.settings, test.slices, nil), "n1"))).To(Equal(test.uses))
			}
		})
	}
}

// A counter set in the same slice takes precedence over a set of the pool with the same name.
func TestCountersOfTheOwnSliceComeFirst(t *testing.T) {
	g := NewWithT(t)
	settings := partitionable
	settings.SameSliceCounters = true
	list := published{
		slice("a", local("n1"), of(1, 3), counters("s", "own"), with("x", consumes("s", "own", "1"))),
		slice("b", local("n1"), of(1, 3), counters("s", "common")),
		slice("c", local("n1"), of(1, 3), with("y", consumes("s", "common", "1"))),
	}
	core := coreOf(g, pools.NewInventory(settings, list, nil), "n1")
	g.Expect(uses(core)).To(Equal([]string{"a/x s.own=1", "c/y s.common=1"}))
	g.Expect(core.Sets).To(Equal(2))
}

// The common compatibility groups of allocated devices must be deterministic.
func TestCoreIteratesOverSlicesByName(t *testing.T) {
	g := NewWithT(t)
	list := published{slice("counters", local("n1"), of(1, 9), counters("s", "memory"))}
	for _, name := range []string{"g", "c", "a", "h", "b", "f", "d", "e"} {
		list = append(list, slice(name, local("n1"), of(1, 9), with("of-"+name, consumes("s", "memory", "1"))))
	}
	var names string
	coreOf(g, pools.NewInventory(partitionable, list, nil), "n1").Each(func(slice *pools.Slice, _ []pools.Consumption) { names += slice.API.Name })
	g.Expect(names).To(Equal("abcdefgh"))
}
