// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/internal/rules"
)

func TestPools(t *testing.T) {
	slice := func(name, driver, pool string, generation, count int64) *resourceapi.ResourceSlice {
		return &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourceapi.ResourceSliceSpec{
			Driver: driver, Pool: resourceapi.ResourcePool{Name: pool, Generation: generation, ResourceSliceCount: count},
		}}
	}
	names := func(all []*resourceapi.ResourceSlice) []string {
		var names []string
		for _, s := range all {
			names = append(names, s.Name)
		}
		return names
	}
	g := NewWithT(t)
	pools := rules.Pools([]*resourceapi.ResourceSlice{
		slice("c", "y", "p", 2, 3), slice("old", "y", "p", 1, 1), slice("b", "x", "p", 1, 2), slice("a", "y", "p", 2, 3), slice("older", "x", "p", 0, 1),
		slice("newest", "x", "p", 5, 1), slice("other", "y", "q", 1, 0),
	})
	g.Expect(pools).To(HaveLen(3))
	for i, want := range []struct {
		driver, name string
		newest, old  []string
		missing      int64
	}{
		{"y", "p", []string{"a", "c"}, []string{"old"}, 1}, {"x", "p", []string{"newest"}, []string{"older", "b"}, 0}, {"y", "q", []string{"other"}, nil, -1},
	} {
		g.Expect([]string{pools[i].Driver, pools[i].Name}).To(Equal([]string{want.driver, want.name}))
		g.Expect(names(pools[i].Slices)).To(Equal(want.newest))
		g.Expect(names(pools[i].Older)).To(Equal(want.old))
		g.Expect(pools[i].Missing()).To(Equal(want.missing))
	}
}

func TestDevicesOfPools(t *testing.T) {
	slice := func(name string, generation int64, devices ...string) *resourceapi.ResourceSlice {
		s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}}
		s.Spec.Pool.Generation = generation
		for _, device := range devices {
			s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: device})
		}
		return s
	}
	g := NewWithT(t)
	pool := rules.Pools([]*resourceapi.ResourceSlice{slice("b", 2, "z", "y"), slice("old", 1, "x"), slice("a", 2, "w")})[0]
	g.Expect(pool.Generation()).To(BeEquivalentTo(2))
	var all []string
	for of, device := range pool.Devices() {
		all = append(all, of.Name+"/"+device.Name)
	}
	g.Expect(all).To(Equal([]string{"a/w", "b/z", "b/y"}), "only those of the newest generation")
	for range pool.Devices() {
		break // The iteration may end early.
	}
}
