// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package ours_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/e2e/internal/ours"
)

func TestOnlyNamespacesOfTheRunAreRemoved(t *testing.T) {
	for name, test := range map[string]struct {
		labels map[string]string
		want   string
	}{
		"of the run":     {map[string]string{engine.RunLabel: "run-1"}, ""},
		"of another run": {map[string]string{engine.RunLabel: "older-1"}, `remove namespace drivers: it exists and does not belong to run run-1: label draconform.dev/run is "older-1"`},
		"of a user":      {nil, `remove namespace drivers: it exists and does not belong to run run-1: label draconform.dev/run is ""`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "drivers", Labels: test.labels}})
			err := ours.RemoveNamespace(t.Context(), client, "drivers", "run-1")
			left, listErr := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
			g.Expect(listErr).NotTo(HaveOccurred())
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(left.Items).To(BeEmpty())
				g.Expect(ours.RemoveNamespace(t.Context(), client, "drivers", "run-1")).To(Succeed(), "it is gone")
				return
			}
			g.Expect(err).To(MatchError(test.want))
			g.Expect(left.Items).To(HaveLen(1))
		})
	}
}
