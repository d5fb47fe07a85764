// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/pools"
)

// Only one generation of a pool is used, and only if it is complete. The view is that of node n1.
func TestGenerationsAndCompleteness(t *testing.T) {
	n1, n2 := local("n1"), local("n2")
	for name, test := range map[string]struct {
		slices published
		want   string
	}{
		"nothing is published": {nil, ""},
		"all slices exist":     {published{slice("a", n1, of(1, 2), with("x")), slice("b", n1, of(1, 2), with("y"))}, "p: a/x b/y"},
		"one slice is missing": {published{slice("a", n1, of(1, 2), with("x"))}, "p incomplete"},
		"one slice too many":   {published{slice("a", n1, with("x")), slice("b", n1, with("y"))}, "p incomplete"},
		"the rest of the pool is for another node": {
			published{slice("a", n1, of(1, 2), with("x")), slice("b", n2, of(1, 2), with("y"))}, "p: a/x",
		},
		"the newest generation replaces those before": {
			published{slice("a", n1, of(1, 1), with("x")), slice("b", n1, of(3, 1), with("z")), slice("c", n1, of(2, 1), with("y"))}, "p: b/z",
		},
		"the newest generation replaces a complete one before it is complete": {
			published{slice("a", n1, of(1, 1), with("x")), slice("b", n1, of(2, 2), with("y"))}, "p incomplete",
		},
		"slices of an older generation do not make a newer one complete": {
			published{slice("a", n1, of(1, 2), with("x")), slice("b", n1, of(2, 2), with("y"))}, "p incomplete",
		},
		"slices of an older generation elsewhere do not make a newer one complete": {
			published{slice("a", n2, of(1, 2), with("x")), slice("b", n1, of(2, 2), with("y"))}, "p incomplete",
		},
		"an older generation elsewhere has no effect": {
			published{slice("a", n2, of(1, 2), with("x")), slice("b", n1, of(2, 2), with("y")), slice("c", n2, of(2, 2), with("z"))}, "p: b/y",
		},
		"a newer generation elsewhere makes an incomplete view disappear": {
			published{slice("a", n1, of(1, 2), with("x")), slice("b", n2, of(2, 1), with("y"))}, "",
		},
		"a newer generation elsewhere that is listed first does so too": {
			published{slice("b", n2, of(2, 1), with("y")), slice("a", n1, of(1, 2), with("x")), slice("c", n2, of(1, 2), with("z"))}, "",
		},
		"a newer generation elsewhere makes a complete pool over two nodes disappear": {
			published{slice("a", n1, of(1, 2), with("x")), slice("b", n2, of(1, 2), with("y")), slice("c", n2, of(2, 1), with("z"))}, "",
		},
		"a newer generation elsewhere does not affect a node that sees all slices of the older one": {
			published{slice("a", n1, of(1, 1), with("x")), slice("b", n2, of(2, 1), with("y"))}, "p: a/x",
		},
		"the pool of the same name of another driver is another pool": {
			published{slice("a", n1, with("x")), slice("b", n1, of(2, 2), func(s *resourceapi.ResourceSliceSpec) { s.Driver = "nic.example.com" })},
			"p: a/x; p incomplete",
		},
		"a pool does not depend on others": {
			published{slice("a", n1, pool("p", 1, 2), with("x")), slice("b", n1, pool("q", 1, 1), with("x"))}, "p incomplete; q: b/x",
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(sees(partitionable, test.slices, node("n1"))).To(Equal(test.want))
		})
	}
}

// Quirk Q2 concerns the view of one node: while a pool is replaced, nodes may see different generations.
func TestNodesSeeDifferentGenerationsOfAPool(t *testing.T) {
	g := NewWithT(t)
	list := published{slice("a", local("n1"), of(1, 1), with("x")), slice("b", local("n2"), of(2, 1), with("y"))}
	inventory := pools.NewInventory(partitionable, list, nil)
	for name, want := range map[string]string{"n1": "p: a/x", "n2": "p: b/y"} {
		g.Expect(inventory.Node(node(name))).To(WithTransform(picture, ConsistOf(want)), name)
	}
}

func TestInconsistentPoolIsInvalid(t *testing.T) {
	n1, n2, two := local("n1"), local("n2"), of(1, 2)
	elsewhere := published{slice("a", n1, of(1, 3), with("x")), slice("b", n2, of(1, 3), with("y", consumes("t", "memory", "1")))}
	for name, test := range map[string]struct {
		slices published
		want   string
	}{
		"a device twice in a slice":    {published{slice("a", n1, with("x"), with("x"))}, "p invalid: duplicate device name x"},
		"a device twice in two slices": {published{slice("a", n1, two, with("x")), slice("b", n1, two, with("x"))}, "p invalid: duplicate device name x"},
		"a device twice, once for another node": {
			published{slice("a", n1, two, with("x")), slice("b", n2, two, with("x"))}, "p: a/x",
		},
		"a counter set twice in a slice": {
			published{slice("c", n1, two, counters("s", "memory"), counters("s", "memory")), slice("d", n1, two, with("x"))},
			"p invalid: duplicate counter set name s",
		},
		"a counter set twice in two slices": {
			published{slice("c", n1, two, counters("s", "memory")), slice("d", n1, two, counters("s", "cores"))},
			"p invalid: duplicate counter set name s",
		},
		"a counter set that does not exist": {
			published{slice("c", n1, two, counters("s", "memory")), slice("d", n1, two, with("x", consumes("t", "memory", "1")))},
			"p invalid: counter set t not found",
		},
		"a counter that does not exist": {
			published{slice("c", n1, two, counters("s", "memory")), slice("d", n1, two, with("x", consumes("s", "cores", "1")))},
			"p invalid: counter cores not found in counter set s",
		},
		"a counter of another set": {
			published{slice("c", n1, two, counters("s", "memory"), counters("t", "cores")), slice("d", n1, two, with("x", consumes("t", "memory", "1")))},
			"p invalid: counter memory not found in counter set t",
		},
		"devices for other nodes use a counter set that does not exist": {
			append(published{slice("c", n1, of(1, 3), counters("s", "memory"))}, elsewhere...), "p invalid: counter set t not found",
		},
		"counters that other nodes see are there": {
			append(published{slice("c", n2, of(1, 3), counters("t", "memory"))}, elsewhere...), "p: a/x",
		},
		"a pool that is incomplete is not validated": {published{slice("a", n1, two, with("x"), with("x"))}, "p incomplete"},
		"an invalid pool does not affect others": {
			published{slice("a", n1, with("x"), with("x")), slice("b", n1, pool("q", 1, 1), with("x"))},
			"p invalid: duplicate device name x; q: b/x",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(sees(partitionable, test.slices, node("n1"))).To(Equal(test.want))
			view, err := pools.NewInventory(partitionable, test.slices, nil).Node(node("n1"))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(view.Invalid).To(Equal(len(test.want) > 9 && test.want[:9] == "p invalid"), "the view reports that a pool is invalid")
		})
	}
}

func TestNegativeConsumptionIsInvalidIfConfigured(t *testing.T) {
	consuming := func(amount string) published {
		return published{
			slice("c", local("n1"), of(1, 2), counters("s", "memory")),
			slice("d", local("n1"), of(1, 2), with("x", consumes("s", "memory", amount))),
		}
	}
	g := NewWithT(t)
	g.Expect(sees(partitionable, consuming("-1"), node("n1"))).To(Equal("p: d/x"))
	strict := partitionable
	strict.RejectNegativeCounters = true
	g.Expect(sees(strict, consuming("-1"), node("n1"))).To(Equal("p invalid: device x consumes a negative amount of counter memory"))
	g.Expect(sees(strict, consuming("0"), node("n1"))).To(Equal("p: d/x"))
}

func TestPoolsSlicesAndDevicesAreInTheDocumentedOrder(t *testing.T) {
	binding := func(d *resourceapi.Device) { d.BindingConditions = []string{"Attached"} }
	other := func(s *resourceapi.ResourceSliceSpec) { s.Driver = "a.example.com" }
	n1 := local("n1")
	for name, test := range map[string]struct {
		slices published
		want   string
	}{
		"devices as listed": {published{slice("a", n1, with("z"), with("x"), with("y"))}, "p: a/z a/x a/y"},
		"slices by name": {
			published{slice("c", n1, of(1, 3), with("x")), slice("a", n1, of(1, 3), with("z")), slice("b", n1, of(1, 3), with("y"))}, "p: a/z b/y c/x",
		},
		"pools by name": {published{slice("a", n1, pool("q", 1, 1), with("x")), slice("b", n1, pool("p", 1, 1), with("x"))}, "p: b/x; q: a/x"},
		"slices of two pools in turn": {
			published{
				slice("a", n1, pool("q", 1, 2), with("x")), slice("b", n1, pool("p", 1, 1), with("x")), slice("c", n1, pool("q", 1, 2), with("y")),
			}, "p: b/x; q: a/x c/y",
		},
		"drivers before pools": {
			published{slice("a", n1, pool("p", 1, 1), with("x")), slice("b", n1, other, pool("q", 1, 1), with("x"))}, "q: b/x; p: a/x",
		},
		"pools with a binding condition last": {
			published{slice("a", n1, pool("p", 1, 1), with("w"), with("x", binding)), slice("b", n1, pool("q", 1, 1), with("x"))}, "q: b/x; p: a/w a/x",
		},
		"pools with binding conditions among each other by name": {
			published{slice("a", n1, pool("q", 1, 1), with("x", binding)), slice("b", n1, pool("p", 1, 1), with("x", binding))}, "p: b/x; q: a/x",
		},
		"slices of all nodes among those of the node": {
			published{slice("b", n1, of(1, 3), with("y")), slice("c", everywhere, of(1, 3), with("z")), slice("a", everywhere, of(1, 3), with("x"))}, "p: a/x b/y c/z",
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(sees(partitionable, test.slices, node("n1"))).To(Equal(test.want))
		})
	}
}

// A slice that needs a disabled feature offers no devices. For completeness, a slice with compatibility groups is
// ignored and a slice with counters counts, as in upstream. The search handles devices that consume the counters.
func TestSlicesThatNeedADisabledFeatureHaveNoDevices(t *testing.T) {
	groups := pools.Settings{Features: structured.Features{PartitionableDevices: true, CompatibilityGroups: true}}
	n1, two := local("n1"), of(1, 2)
	counted := published{slice("c", n1, two, counters("s", "memory")), slice("d", n1, two, with("x", consumes("s", "memory", "1")))}
	grouped := published{slice("c", n1, two, counters("s", "memory")), slice("d", n1, two, with("x", consumes("s", "memory", "1", "mig")))}
	mixed := published{slice("d", n1, counters("s", "memory"), with("x"))}
	choosing := published{slice("d", perDevice, with("x", onNode("n1")))}
	spread := published{
		slice("a", n1, of(1, 3), with("w")), slice("c", everywhere, of(1, 3), counters("s", "memory")),
		slice("d", local("n2"), of(1, 3), with("x", consumes("s", "memory", "1", "mig"))),
	}
	for name, test := range map[string]struct {
		settings pools.Settings
		slices   published
		want     string
	}{
		"counters":                                    {partitionable, counted, "p: d/x"},
		"counters without the feature":                {pools.Settings{}, counted, "p: d/x"},
		"counters and devices":                        {partitionable, mixed, "p:"},
		"counters and devices without the feature":    {pools.Settings{}, mixed, ""},
		"node selection by devices":                   {partitionable, choosing, "p: d/x"},
		"node selection by devices without":           {pools.Settings{}, choosing, ""},
		"compatibility groups":                        {groups, grouped, "p: d/x"},
		"compatibility groups without":                {partitionable, grouped, "p incomplete"},
		"compatibility groups on another node":        {groups, spread, "p: a/w"},
		"compatibility groups on another one without": {partitionable, spread, "p incomplete"},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(sees(test.settings, test.slices, node("n1"))).To(Equal(test.want))
		})
	}
}
