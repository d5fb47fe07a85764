// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/allocator/internal/testkit/gen"
)

// Explanations must agree with the results of Allocate and with the independent rules of package check.
func TestExplanationsAreCorrect(t *testing.T) {
	for name, config := range map[string]gen.Config{"usual": {}, "tidy": {Tidy: true}, "hard": {Hard: true}, "wild": {Wild: true}} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := config.Problem().Draw(t, "problem")
				for _, node := range p.Nodes {
					v := &verifier{p: p, node: node, admitted: !config.Wild}
					if err := v.verify(); err != nil {
						t.Fatalf("node %s: %v", node.Name, err)
					}
				}
			})
		})
	}
}

// The property test above covers only reasons that are drawn.
func TestDrawnExplanationsHaveReasonsOfAllKinds(t *testing.T) {
	g := NewWithT(t)
	kinds := map[explain.ReasonKind]int{}
	conflicts, remainders := 0, 0
	for _, config := range []gen.Config{{}, {Hard: true}} {
		problems := config.Problem()
		for seed := range 400 {
			v := &verifier{p: problems.Example(seed)}
			x, err := explainOn(v.p, v.p.Nodes[0])
			g.Expect(err).NotTo(HaveOccurred())
			v.x = x
			if x.Conflict != nil {
				conflicts++
			}
			_ = v.each(func(_, _, _ int, a *explain.Alternative) error {
				for _, reason := range a.Reasons {
					kinds[reason.Kind]++
				}
				if a.Remainder != nil {
					remainders++
				}
				return nil
			})
		}
	}
	t.Log(kinds, conflicts, remainders)
	g.Expect(conflicts).To(BeNumerically(">=", 10))
	g.Expect(remainders).To(BeNumerically(">=", 10))
	for _, kind := range []explain.ReasonKind{
		explain.ReasonCounter, explain.ReasonCapacityLeft, explain.ReasonConstraint, explain.ReasonGroups, explain.ReasonTaken,
		explain.ReasonLater, explain.ReasonInUse, explain.ReasonTaint, explain.ReasonNodeOperations, explain.ReasonFeature,
		explain.ReasonCapacity, explain.ReasonNode, explain.ReasonSelectorError, explain.ReasonSelector, explain.ReasonClass,
	} {
		g.Expect(kinds).To(HaveKey(kind))
	}
}
