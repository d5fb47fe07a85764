// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/e2e/suite/env"
)

// In a cluster whose nodes come and go, there may always be a slice of a node that is gone. Only
// a slice that stays is wrong.
func TestSlicesOfNodesThatAreGone(t *testing.T) {
	g := NewWithT(t)
	e := &env.Env{Client: fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "stays"}})}
	of := func(node string) resourceapi.ResourceSlice {
		return resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "of-" + node}, Spec: resourceapi.ResourceSliceSpec{NodeName: &node}}
	}
	var named namedNodes
	g.Expect(named.check(t.Context(), e, []resourceapi.ResourceSlice{of("stays"), of("gone"), of("never-there")})).To(MatchError(And(
		ContainSubstring("slice of-gone is of node gone, which does not exist"), ContainSubstring("never-there"), Not(ContainSubstring("of-stays")),
	)))
	g.Expect(named.check(t.Context(), e, []resourceapi.ResourceSlice{of("stays"), of("gone-later"), of("never-there")})).To(MatchError("slice of-never-there is of node never-there, which does not exist"))
	g.Expect(named.check(t.Context(), e, []resourceapi.ResourceSlice{of("stays"), of("gone-later")})).To(Succeed())
}
