// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// half returns a device that consumes half of the memory of the counter set
// "gpu", which has 40Gi.
func half(name string) resourceapi.Device {
	return device(name, consumes("gpu", values{"memory": "20Gi", "engines": "0"}))
}

var (
	gpu   = set("gpu", values{"memory": "40Gi", "engines": "1"})
	parts = makeDevices(half("a"), half("b"), device("tiny", consumes("gpu", values{"memory": "1"})), device("whole", consumes("gpu", values{"memory": "40Gi", "engines": "1"})))
)

func TestCheck(t *testing.T) {
	for name, test := range map[string]struct {
		slices []resourceapi.ResourceSlice
		claims []resourceapi.ResourceClaim
		want   []string
	}{
		"nothing allocated": {
			slices: []resourceapi.ResourceSlice{slice("n1", gpu, parts)},
			claims: []resourceapi.ResourceClaim{{}},
		},
		"a device twice": {
			slices: []resourceapi.ResourceSlice{slice("n1", makeDevices(device("a")))},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a")), claim("y", result("n1", "a")), claim("z", result("n1", "a"))},
			want:   []string{"device gpu.example.com/n1/a is allocated 3 times: to ns/x and ns/y and ns/z"},
		},
		"a device twice in one claim": {
			slices: []resourceapi.ResourceSlice{slice("n1", makeDevices(device("a")))},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a"), result("n1", "a"))},
			want:   []string{"device gpu.example.com/n1/a is allocated 2 times: to ns/x and ns/x"},
		},
		"a device that no slice has, twice": {
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "gone")), claim("y", result("n1", "gone"))},
			want:   []string{"device gpu.example.com/n1/gone is allocated 2 times: to ns/x and ns/y"},
		},
		"a device that no slice has, once": {
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "gone"))},
		},
		"devices of equal names in two pools": {
			slices: []resourceapi.ResourceSlice{slice("n1", makeDevices(device("a"))), slice("n2", makeDevices(device("a")))},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a")), claim("y", result("n2", "a"))},
		},
		"a shared device twice": {
			slices: []resourceapi.ResourceSlice{slice("n1", makeDevices(device("a", shared)))},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a")), claim("y", result("n1", "a"))},
		},
		"a device that is explicitly not shared, twice": {
			slices: []resourceapi.ResourceSlice{slice("n1", makeDevices(device("a", func(d *resourceapi.Device) { d.AllowMultipleAllocations = ptr.To(false) })))},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a")), claim("y", result("n1", "a"))},
			want:   []string{"device gpu.example.com/n1/a is allocated 2 times: to ns/x and ns/y"},
		},
		"shares of a device that is published without sharing by now": {
			slices: []resourceapi.ResourceSlice{slice("n1", makeDevices(device("a")))},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a", share("1", ""))), claim("y", result("n1", "a", share("2", "")))},
		},
		"a share and all of a device": {
			slices: []resourceapi.ResourceSlice{slice("n1", makeDevices(device("a")))},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a", share("1", ""))), claim("y", result("n1", "a"))},
			want:   []string{"device gpu.example.com/n1/a is allocated 2 times: to ns/x and ns/y"},
		},
		"a shared device consumes once": {
			slices: []resourceapi.ResourceSlice{slice("n1", gpu, makeDevices(device("a", shared, consumes("gpu", values{"memory": "40Gi"}))))},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a")), claim("y", result("n1", "a"))},
		},
		"admin access and another allocation": {
			slices: []resourceapi.ResourceSlice{slice("n1", gpu, parts)},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "whole")), claim("admin", result("n1", "whole", forAdmin), result("n1", "a", forAdmin))},
		},
		"admin access that is explicitly not": {
			slices: []resourceapi.ResourceSlice{slice("n1", makeDevices(device("a")))},
			claims: []resourceapi.ResourceClaim{
				claim("x", result("n1", "a")),
				claim("y", result("n1", "a", func(r *resourceapi.DeviceRequestAllocationResult) { r.AdminAccess = ptr.To(false) })),
			},
			want: []string{"device gpu.example.com/n1/a is allocated 2 times: to ns/x and ns/y"},
		},
		"another driver's claims": {
			slices: []resourceapi.ResourceSlice{slice("n1", gpu, parts), slice("n1", of("other.example.com"), makeDevices(device("whole")))},
			claims: []resourceapi.ResourceClaim{
				claim("x", result("n1", "whole")),
				claim("y", result("n1", "whole", from("other.example.com"))), claim("z", result("n1", "whole", from("other.example.com"))),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(audit.NewInventory(test.slices).Check(driver, test.claims)).To(Equal(test.want))
		})
	}
}

func TestAllocated(t *testing.T) {
	g := NewWithT(t)
	g.Expect(audit.Allocated(&resourceapi.ResourceClaim{})).To(BeEmpty())
	c := claim("x", result("n1", "b"), result("n1", "a", from("other.example.com")))
	g.Expect(audit.Allocated(&c)).To(Equal([]audit.DeviceID{
		{Driver: driver, Pool: "n1", Device: "b"}, {Driver: "other.example.com", Pool: "n1", Device: "a"},
	}), "in the order of the results")
}

func TestAttribute(t *testing.T) {
	inventory := audit.NewInventory([]resourceapi.ResourceSlice{slice("n1", makeDevices(
		device("short", attribute("parent", "p")),
		device("long", attribute(driver+"/parent", "p")),
		device("other", attribute("other.example.com/parent", "p")),
		device("number", func(d *resourceapi.Device) {
			d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"parent": {IntValue: ptr.To[int64](1)}}
		}),
		device("none"),
	))})
	for _, test := range []struct {
		device, name string
		found        bool
	}{
		{"short", "parent", true},
		{"short", driver + "/parent", true},
		{"long", driver + "/parent", true},
		{"long", "parent", true},
		{"short", "other.example.com/parent", false},
		{"other", "other.example.com/parent", true},
		{"other", "parent", false},
		{"other", driver + "/parent", false},
		{"number", "parent", false},
		{"none", "parent", false},
		{"of an unknown domain", "parent", false},
	} {
		value, found := inventory.Attribute(audit.DeviceID{Driver: driver, Pool: "n1", Device: test.device}, test.name)
		g := NewWithT(t)
		g.Expect(found).To(Equal(test.found), "attribute %s of device %s", test.name, test.device)
		if test.found {
			g.Expect(value).To(Equal("p"))
		}
	}
}

func TestDevice(t *testing.T) {
	g := NewWithT(t)
	inventory := audit.NewInventory([]resourceapi.ResourceSlice{
		slice("n1", generation(1), makeDevices(device("old"))), slice("n1", generation(2), makeDevices(device("new"))), slice("n2", makeDevices(device("old"))),
	})
	for id, want := range map[audit.DeviceID]bool{
		{Driver: driver, Pool: "n1", Device: "new"}:              true,
		{Driver: driver, Pool: "n1", Device: "old"}:              false,
		{Driver: driver, Pool: "n2", Device: "old"}:              true,
		{Driver: "other.example.com", Pool: "n1", Device: "new"}: false,
	} {
		_, found := inventory.Device(id)
		g.Expect(found).To(Equal(want), "%s", id)
	}
}
