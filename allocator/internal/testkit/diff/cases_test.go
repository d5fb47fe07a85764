// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/allocator/internal/testkit/diff"
)

// TestRegressions replays bugs of allocators, and the quirks that are kept
// deliberately. Each file describes the rule that it guards.
func TestRegressions(t *testing.T) {
	cases, err := diff.ReadCases(filepath.Join("testdata", "regressions"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(cases).NotTo(BeEmpty())
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(c.Rule).NotTo(BeEmpty())
			g.Expect(c.Expect).NotTo(BeEmpty())
			for i, node := range c.Nodes {
				want, expected := c.Expect[node.Name]
				if !expected {
					continue
				}
				got := ours(&c.Problem, i)
				g.Expect(want.Met(got)).To(Succeed(), "%s, on node %s", c.Rule, node.Name)
				g.Expect(diff.Judge(&c.Problem, node, got)).To(Succeed(), "node %s", node.Name)
				if other, differs := c.Kubernetes[node.Name]; differs {
					want = other
				}
				g.Expect(want.Met(kubernetes(&c.Problem, i))).To(Succeed(), "Kubernetes on node %s", node.Name)
			}
		})
	}
}

// TestDivergences replays problems whose answers once differed from those of
// Kubernetes.
func TestDivergences(t *testing.T) {
	cases, err := diff.ReadCases(filepath.Join("testdata", "divergences"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(sameAnswer(&c.Problem)).To(Succeed())
		})
	}
}
