// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gen_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/gen"
)

// The generator must draw all kinds of problems: each kind of outcome must be common
// enough.
func TestProblemsHaveAllOutcomes(t *testing.T) {
	const draws = 700
	for name, test := range map[string]struct {
		config  gen.Config
		atLeast map[diff.Class]int
	}{
		"usual": {gen.Config{}, map[diff.Class]int{
			diff.Fit: 120, diff.NoFit: 120, "invalid resource pools were encountered": 1, "is currently being updated": 1,
			"because a claim constraint would not be satisfied": 1, "CEL runtime error": 1, "exceeds the claim limit of": 1,
		}},
		"tiny": {gen.Config{Tiny: true}, map[diff.Class]int{diff.Fit: 120, diff.NoFit: 120}},
		"beta": {gen.Config{Beta: true}, map[diff.Class]int{diff.Fit: 120, diff.NoFit: 120}},
		// Many of these fits are none with sharing affinity, which Kubernetes does not
		// implement.
		"affinity": {gen.Config{Affinity: true}, map[diff.Class]int{diff.Fit: 250, diff.NoFit: 60}},
		"hard":     {gen.Config{Hard: true}, map[diff.Class]int{diff.Fit: 120, diff.NoFit: 120, diff.TimedOut: 7}},
		"wild": {gen.Config{Wild: true}, map[diff.Class]int{
			diff.Fit: 60, diff.NoFit: 120, "unsupported count mode": 1, "empty constraint (unsupported constraint type?)": 1,
			"could not retrieve device class": 1, "gather pool information": 1,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			outcomes := map[diff.Class]int{}
			problems := test.config.Problem()
			for seed := range draws {
				p := problems.Example(seed)
				outcomes[diff.Run(diff.WithStepLimit(context.Background(), 1000), diff.Experimental, p, p.Nodes[0]).Class]++
			}
			t.Log(outcomes)
			for class, n := range test.atLeast {
				g.Expect(outcomes[class]).To(BeNumerically(">=", n), "outcome %q", class)
			}
		})
	}
}
