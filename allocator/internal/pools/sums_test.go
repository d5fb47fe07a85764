// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/allocator/internal/pools"
)

// Counters are numbered by set and name: 0 and 1 are the cores and the memory of gpu-0, 2, 3 and 4 the cores, the
// engines and the memory of gpu-1.
func TestSumsOfCounters(t *testing.T) {
	g := NewWithT(t)
	set := func(name string, amounts map[string]string) resourceapi.CounterSet {
		s := resourceapi.CounterSet{Name: name, Counters: map[string]resourceapi.Counter{}}
		for counter, amount := range amounts {
			s.Counters[counter] = resourceapi.Counter{Value: resource.MustParse(amount)}
		}
		return s
	}
	two := func(s *resourceapi.ResourceSliceSpec) {
		s.SharedCounters = []resourceapi.CounterSet{
			set("gpu-0", map[string]string{"cores": "7", "memory": "40Gi"}), set("gpu-1", map[string]string{"cores": "7", "engines": "7", "memory": "40Gi"}),
		}
	}
	list := published{slice("c", local("n1"), of(1, 2), two), slice("d", local("n1"), of(1, 2), with("x", consumes("gpu-0", "memory", "1")))}
	core := coreOf(g, pools.NewInventory(partitionable, list, nil), "n1")
	sums := core.Sums()
	g.Expect(sums.Sets).To(Equal([][][]int{{{0}, {1}}, {{2}, {3}, {4}, {2, 3}}}), "each counter, and those with the same total")
	g.Expect(sums.Pool).To(Equal([][]int{{0, 2}, {1, 4}, {3}, {0, 2, 3}}), "the counters with the same name, and those with the same total")
	g.Expect(sums.InSet).To(Equal([][]int{{0}, {1}, {0, 3}, {1, 3}, {2}}))
	g.Expect(sums.InPool).To(Equal([][]int{{0, 3}, {1}, {0, 3}, {2, 3}, {1}}))
	g.Expect(core.Sums()).To(BeIdenticalTo(sums))
}
