// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/pools"
)

func TestDevicesOfASlice(t *testing.T) {
	g := NewWithT(t)
	many := []change{local("n1")}
	for i := range 65 {
		many = append(many, with(string(rune('A'+i))))
	}
	_, parts := byName(g, pools.NewInventory(partitionable, published{slice("a", many...)}, nil))
	a := parts["a"]
	g.Expect(a.Len()).To(Equal(65))
	g.Expect(a.Words()).To(Equal(2))
	g.Expect([]uint64{a.Valid(0), a.Valid(1)}).To(Equal([]uint64{^uint64(0), 1}))
	g.Expect(a.ID(64).String()).To(Equal(driver + "/p/" + string(rune('A'+64))))
	g.Expect(a.IDs()).To(HaveLen(65))
	g.Expect(a.IDs()[1].String()).To(Equal(driver + "/p/B"))
}

func TestIDsAreComputedOnce(t *testing.T) {
	g := NewWithT(t)
	list := published{slice("a", local("n1"), of(1, 2), with("x")), slice("none", local("n1"), of(1, 2))}
	views, _ := byName(g, pools.NewInventory(partitionable, list, nil))
	g.Expect(views["p"].Slices).To(HaveLen(2))
	a, none := views["p"].Slices[0], views["p"].Slices[1]
	first := a.IDs()
	g.Expect(first).To(HaveLen(1))
	g.Expect(first[0]).To(Equal(a.ID(0)))
	g.Expect(&a.IDs()[0]).To(BeIdenticalTo(&first[0]))
	g.Expect(none.IDs()).To(BeEmpty())
}

// Tainted is set only for the effects NoSchedule and NoExecute (API: DeviceTaint.Effect).
func TestFlags(t *testing.T) {
	tainted := func(effects ...resourceapi.DeviceTaintEffect) func(*resourceapi.Device) {
		return func(d *resourceapi.Device) {
			for _, effect := range effects {
				d.Taints = append(d.Taints, resourceapi.DeviceTaint{Key: "k", Effect: effect})
			}
		}
	}
	yes, no := true, false
	for name, test := range map[string]struct {
		device func(*resourceapi.Device)
		want   pools.Flags
	}{
		"plain":                 {func(*resourceapi.Device) {}, pools.Flags{}},
		"shared":                {func(d *resourceapi.Device) { d.AllowMultipleAllocations = &yes }, pools.Flags{Shared: 2}},
		"explicitly not shared": {func(d *resourceapi.Device) { d.AllowMultipleAllocations = &no }, pools.Flags{}},
		"binding":               {func(d *resourceapi.Device) { d.BindingConditions = []string{"c"} }, pools.Flags{Binding: 2}},
		"consumes":              {consumes("s", "memory", "1"), pools.Flags{Consumes: 2}},
		"capacity":              {func(d *resourceapi.Device) { d.Capacity = capacity() }, pools.Flags{Capacity: 2}},
		"not for new pods":      {tainted(resourceapi.DeviceTaintEffectNoSchedule), pools.Flags{Tainted: 2}},
		"not for any pods":      {tainted(resourceapi.DeviceTaintEffectNoExecute), pools.Flags{Tainted: 2}},
		"taint of no kind":      {tainted(resourceapi.DeviceTaintEffectNone), pools.Flags{}},
		"unknown taint":         {tainted("Later"), pools.Flags{}},
		"one taint of many":     {tainted(resourceapi.DeviceTaintEffectNone, resourceapi.DeviceTaintEffectNoExecute), pools.Flags{Tainted: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			list := published{slice("a", local("n1"), with("first"), with("x", test.device))}
			_, parts := byName(g, pools.NewInventory(pools.Settings{}, list, nil))
			g.Expect(parts["a"].Flags(0)).To(Equal(test.want))
		})
	}
}

func TestCapacitiesAreSortedByName(t *testing.T) {
	g := NewWithT(t)
	list := published{slice("a", local("n1"), with("none"), with("x", func(d *resourceapi.Device) { d.Capacity = capacity() }))}
	_, parts := byName(g, pools.NewInventory(pools.Settings{}, list, nil))
	g.Expect(parts["a"].Capacities(0).Names).To(BeEmpty())
	c := parts["a"].Capacities(1)
	g.Expect(c.Names).To(Equal([]resourceapi.QualifiedName{"bandwidth", "memory"}))
	bandwidth, memory := c.Values[0].Quantity(), c.Values[1].Quantity()
	g.Expect(bandwidth.String() + " " + memory.String()).To(Equal("10 1073741824"))
}
