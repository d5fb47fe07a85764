// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
)

func TestSlicesInAnotherOrderAreTheSame(t *testing.T) {
	g := NewWithT(t)
	var list []*resourceapi.ResourceSlice
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		list = append(list, gpus(name, 1))
	}
	p := &publications{}
	before := p.current(slices.Clone(list))
	g.Expect(before.nodes.UnsortedList()).To(ConsistOf("a", "b", "c", "d", "e"))
	for range 10 {
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		g.Expect(p.current(slices.Clone(list))).To(BeIdenticalTo(before))
	}
	fewer := p.current(list[1:])
	g.Expect(fewer.slices).To(Equal(list[1:]))
	changed := slices.Clone(list[1:])
	changed[0] = nics("x", 1) // The number of slices is unchanged.
	g.Expect(p.current(changed).affinity).To(BeTrue())
	g.Expect(fewer.affinity).To(BeFalse())
	g.Expect(p.current(nil).slices).To(BeEmpty())
}
