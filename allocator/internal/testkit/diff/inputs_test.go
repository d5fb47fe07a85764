// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/allocator/internal/testkit/check"
	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/inputs"
)

// Problems of realistic size have the correct answer, including those that
// Kubernetes does not solve.
func TestInputsOfRealSize(t *testing.T) {
	for _, input := range slices.Concat(inputs.NoFit(), inputs.Everyday(), inputs.ManyNodes()) {
		t.Run(input.Name, func(t *testing.T) {
			g := NewWithT(t)
			p := input.Build()
			for _, i := range []int{0, len(p.Nodes) - 1} {
				got := ours(p, i)
				g.Expect(got.Class).To(Equal(input.Class), got.String())
				if got.Class == diff.Fit {
					g.Expect(check.Results(p, p.Nodes[i], got.Results)).To(Succeed())
				}
				if want := kubernetes(p, i); want.Class != diff.TimedOut {
					g.Expect(diff.Difference(want, got)).To(Succeed())
				}
			}
		})
	}
}
