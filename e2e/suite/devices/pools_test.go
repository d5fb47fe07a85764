// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
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

// A pool that is being replaced counts as it was, and no other incomplete one.
func TestPoolsThatAreReplacedCountAsTheyWere(t *testing.T) {
	g := NewWithT(t)
	of := func(name string, generation int64, slices ...string) []resourceapi.ResourceSlice {
		var all []resourceapi.ResourceSlice
		for _, slice := range slices {
			s := sliceOfPool(name, slice, "")
			s.Spec.Pool.Generation = generation
			all = append(all, s)
		}
		return all
	}
	complete := Pools{}
	look := func(published ...[]resourceapi.ResourceSlice) error {
		return newPools(slices.Concat(published...)).orEarlier(complete).incomplete()
	}
	g.Expect(look(of("a", 1, "0", "1"), of("b", 1, "0"))).To(MatchError(And(ContainSubstring("pool b"), Not(ContainSubstring("pool a")))))
	g.Expect(look(of("a", 2, "0"), of("b", 1, "0"))).To(MatchError(And(ContainSubstring("pool b"), Not(ContainSubstring("pool a")))))
	g.Expect(look(of("a", 1, "0"), of("b", 1, "0", "1"))).To(MatchError(ContainSubstring("pool a")), "a slice is gone")
	g.Expect(look(of("a", 2, "0", "1", "2"), of("b", 1, "0", "1"))).To(MatchError(ContainSubstring("pool a has 3 slices")), "it is never right")
	g.Expect(look(of("a", 2, "0"), of("b", 2, "0"))).To(Succeed())
	g.Expect(look(of("a", 2, "0", "1"), of("c", 2, "0"))).To(MatchError(ContainSubstring("pool c")), "a new pool")
}

// A driver cannot complete the pool of a node on which nothing runs.
func TestPoolsOfNodesThatAreDown(t *testing.T) {
	g := NewWithT(t)
	all := newPools([]resourceapi.ResourceSlice{sliceOfPool("up", "0", "node-1"), sliceOfPool("down", "0", "node-2"), sliceOfPool("shared", "0", "")})
	g.Expect(slices.Sorted(maps.Keys(all.without([]string{"node-2", "node-3"})))).To(Equal([]string{"shared", "up"}))
	client := fake.NewClientset(
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}, Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}},
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-2"}, Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}}},
	)
	g.Expect(listDown(t.Context(), &env.Env{Client: client})).To(Equal([]string{"node-2"}))
}
