// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/clusters/engine"
)

// Runs whose ids end with the same suffix use the same names.
func TestNamespacesOfOtherRunsAreKept(t *testing.T) {
	namespace := func(labels map[string]string) *corev1.Namespace {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "drivers", Labels: labels}}
	}
	for name, test := range map[string]struct {
		labels map[string]string
		want   string
	}{
		"of the run":     {map[string]string{engine.RunLabel: "run-1"}, ""},
		"of another run": {map[string]string{engine.RunLabel: "older-1"}, `remove namespace drivers: it belongs to run "older-1"`},
		"of a user":      {nil, `remove namespace drivers: it belongs to run ""`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset(namespace(test.labels))
			r := &runner{plan: &plan{id: "run-1"}, client: client}
			err := r.removeNamespace(t.Context(), "drivers")
			left, listErr := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
			g.Expect(listErr).NotTo(HaveOccurred())
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(left.Items).To(BeEmpty())
				g.Expect(r.removeNamespace(t.Context(), "drivers")).To(Succeed(), "it is gone")
				return
			}
			g.Expect(err).To(MatchError(test.want))
			g.Expect(left.Items).To(HaveLen(1))
		})
	}
}
