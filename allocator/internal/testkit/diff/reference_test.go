// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/draconform/draconform/allocator/internal/testkit/check"
	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/gen"
	"github.com/draconform/draconform/allocator/internal/testkit/oracle"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// The tests here verify the checker and the oracle: both must agree with
// Kubernetes before they are used to verify other allocators.

func TestCheckerAcceptsResultsOfKubernetes(t *testing.T) {
	find(t, gen.Config{}, func(p *problem.Problem) error {
		for i, node := range p.Nodes {
			outcome := kubernetes(p, i)
			if outcome.Class != diff.Fit {
				continue
			}
			if err := check.Results(p, node, outcome.Results); err != nil {
				return fmt.Errorf("node %s: %s: %w", node.Name, outcome, err)
			}
		}
		return nil
	})
}

func TestOracleAgreesWithKubernetes(t *testing.T) {
	fits, others := 0, 0
	find(t, gen.Config{Tiny: true}, func(p *problem.Problem) error {
		for i, node := range p.Nodes {
			outcome := kubernetes(p, i)
			if err := diff.Judge(p, node, outcome); err != nil {
				return fmt.Errorf("node %s: %w", node.Name, err)
			}
			if _, err := oracle.First(p, node, 1000); err != nil {
				continue
			}
			switch outcome.Class {
			case diff.Fit:
				fits++
			case diff.NoFit:
				others++
			default:
			}
		}
		return nil
	})
	t.Logf("%d fits and %d others were compared", fits, others)
	if !t.Failed() && (fits < 100 || others < 100) {
		t.Error("too few results were compared")
	}
}

func TestVariantsOfKubernetesAgree(t *testing.T) {
	find(t, gen.Config{Beta: true}, func(p *problem.Problem) error {
		for i, node := range p.Nodes {
			got := diff.Run(diff.WithStepLimit(context.Background(), steps), diff.Incubating, p, node)
			if err := diff.Difference(kubernetes(p, i), got); err != nil {
				return fmt.Errorf("node %s: %w", node.Name, err)
			}
		}
		return nil
	})
}
