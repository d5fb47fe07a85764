// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"errors"
	"slices"

	"github.com/draconform/draconform/internal/fault"
)

// quickSteps is the number of steps of the plain walk before everything is evaluated. patientSteps is the number of
// further steps if the evaluation does not prove that there is no solution. Most problems end within quickSteps and
// nearly all others within patientSteps. Maintaining the state of all prunings costs more than these steps.
const (
	quickSteps   = 200
	patientSteps = 4000
)

// solve solves the problem, by the plain walk if that is quick, and with prunings otherwise. If an evaluation can
// fail, the plain walk continues for half of the steps, because it finds the same error as upstream. Upstream would
// not search that long. The remaining steps use prunings.
func (s *searcher) solve() (bool, error) {
	if err := s.check(); err != nil {
		return false, err
	}
	if err := s.interrupted(); err != nil {
		return false, err
	}
	s.budget = s.upTo(quickSteps)
	found, err := s.walk()
	if !s.goOn(err) {
		return found, err
	}
	if fault.GivesUpEarly {
		return false, nil
	}
	fails, err := s.canFail()
	if err != nil {
		return false, err
	}
	s.reset()
	p := &s.pruner
	p.begin(s, fails)
	if fails {
		s.budget = s.limits.Steps / 2
		if found, err = s.walk(); !s.goOn(err) {
			return found, err
		}
		return s.solvePruned(p)
	}
	if p.infeasible(0, nil, 0, 0) {
		return false, nil
	}
	known, ok, key := s.equivalent()
	if ok {
		s.recalled = known.answer
		return known.found, known.err
	}
	s.budget = s.upTo(patientSteps)
	if found, err = s.walk(); s.goOn(err) {
		found, err = s.solvePruned(p)
	}
	s.learn(key, found, err)
	return found, err
}

// upTo returns the budget for a walk with the given number of further steps.
func (s *searcher) upTo(more int) int {
	if s.limits.PruneAtOnce {
		return s.steps
	}
	return min(s.steps+more, s.limits.Steps)
}

// goOn returns whether a phase ended without an answer and the next phase may start.
func (s *searcher) goOn(err error) bool {
	return errors.Is(err, ErrBudget) && s.steps <= s.limits.Steps
}

func (s *searcher) walk() (bool, error) {
	found, err := s.next(0)
	if errors.Is(err, errTooMany) {
		return false, nil
	}
	return found, err
}

// solvePruned solves the groups of requests one after the other. Groups do not depend on each other, so the union of
// their first solutions is the first solution of the problem.
func (s *searcher) solvePruned(p *pruner) (bool, error) {
	s.reset()
	s.budget = s.limits.Steps
	s.prune = p
	p.symmetry.init(p)
	for _, group := range p.groups() {
		s.order = group
		p.start()
		if found, err := s.walk(); !found || err != nil {
			return false, err
		}
	}
	slices.SortStableFunc(s.picks, func(a, b Pick) int {
		return s.alternatives[a.Alternative].Request - s.alternatives[b.Alternative].Request
	})
	return true, nil
}
