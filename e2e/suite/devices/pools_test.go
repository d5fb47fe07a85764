// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// sliceOfPool returns one of two slices of a pool. It is for all nodes if node is empty.
func sliceOfPool(pool, name, node string) resourceapi.ResourceSlice {
	s := resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: pool + "-" + name},
		Spec:       resourceapi.ResourceSliceSpec{Driver: "gpus.example.com", Pool: resourceapi.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 2}},
	}
	if node == "" {
		s.Spec.AllNodes = ptr.To(true)
	} else {
		s.Spec.NodeName = ptr.To(node)
	}
	return s
}

// A pool of the node is judged with all its slices, also with those that are for another
// node by mistake.
func TestPoolsOfANode(t *testing.T) {
	g := NewWithT(t)
	all := newPools([]resourceapi.ResourceSlice{
		sliceOfPool("one", "0", "node-1"), sliceOfPool("one", "1", "node-1"), sliceOfPool("other", "0", "node-2"),
		sliceOfPool("shared", "0", ""), sliceOfPool("mixed", "0", "node-1"), sliceOfPool("mixed", "1", "node-2"),
	})
	names := func(p Pools) []string { return slices.Sorted(maps.Keys(p)) }
	g.Expect(names(all.of(""))).To(Equal([]string{"mixed", "one", "other", "shared"}))
	g.Expect(names(all.of("node-1"))).To(Equal([]string{"mixed", "one", "shared"}))
	g.Expect(all.of("node-1")["mixed"].Slices).To(HaveLen(2))
	g.Expect(all.of("node-2").incomplete()).To(MatchError(And(ContainSubstring("pool other has 1 of the 2 slices"), ContainSubstring("pool shared has 1 of the 2 slices"))))
	g.Expect(all.of("node-1").incomplete()).NotTo(MatchError(ContainSubstring("pool other")), "specs of another node may restart its driver")
}
