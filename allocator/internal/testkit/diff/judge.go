// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/allocator/internal/testkit/check"
	"github.com/draconform/draconform/allocator/internal/testkit/oracle"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// combinations bounds the number of combinations that are tried to find the
// first solution.
const combinations = 2000

// Judge verifies an outcome without another allocator to compare it with. A fit
// must follow the rules, and for a small problem it must be the first solution
// of an exhaustive search.
func Judge(p *problem.Problem, node *corev1.Node, o Outcome) error {
	return judge(p, node, o, oracle.First)
}

// JudgePacked is Judge for an allocator that prefers to let claims with equal
// values share devices (Config.PackSharingAffinity).
func JudgePacked(p *problem.Problem, node *corev1.Node, o Outcome) error {
	return judge(p, node, o, oracle.FirstPacked)
}

func judge(p *problem.Problem, node *corev1.Node, o Outcome, first func(*problem.Problem, *corev1.Node, int) (*oracle.Solution, error)) error {
	if o.Class == Fit {
		if err := check.Results(p, node, o.Results); err != nil {
			return fmt.Errorf("%s breaks the rules: %w", o, err)
		}
	}
	if o.Class != Fit && o.Class != NoFit {
		return nil
	}
	solution, err := first(p, node, combinations)
	switch {
	case errors.Is(err, oracle.ErrTooLarge) || errors.Is(err, oracle.ErrUndefined):
		return nil
	case err != nil:
		return fmt.Errorf("find the first solution: %w", err)
	case solution == nil && o.Class == Fit || solution != nil && o.Class == NoFit:
		return fmt.Errorf("the first solution is %v, got %s", solution, o)
	case solution == nil:
		return nil
	}
	rules, err := check.New(p, node)
	if err != nil {
		return fmt.Errorf("read the problem: %w", err)
	}
	choices, err := rules.Choices(o.Results)
	if err != nil {
		return fmt.Errorf("read the results: %w", err)
	}
	if want, got := fmt.Sprint(solution.Choices), fmt.Sprint(choices); want != got {
		return fmt.Errorf("the first solution is %s, got %s", want, got)
	}
	return nil
}
