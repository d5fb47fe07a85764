package search

import (
	"errors"
	"slices"
)

// quickSteps is how many steps the plain walk gets before it is worth while to evaluate everything, and
// patientSteps how many it gets after that did not show that there is no solution. Most problems end within the
// first, nearly all of the others within the second, and keeping books for all prunings costs more than that.
const (
	quickSteps   = 200
	patientSteps = 4000
)

// solve answers the question: by the plain walk if that is quick, with prunings otherwise. If an evaluation can
// fail, the plain walk goes on, since it meets the error that upstream meets; only when it took as long as
// upstream would never wait is the rest left to the prunings.
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
	fails, err := s.canFail()
	if err != nil {
		return false, err
	}
	s.reset()
	p := &s.books
	p.begin(s, fails)
	if fails {
		s.budget = s.limits.Steps / 2
		if found, err = s.walk(); !s.goOn(err) {
			return found, err
		}
		return s.solvePruned(p)
	}
	if p.hopeless(0, nil, 0, 0) {
		return false, nil
	}
	known, ok, key := s.alike()
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

// upTo returns the budget for a walk with so many more steps.
func (s *searcher) upTo(more int) int {
	if s.limits.PruneAtOnce {
		return s.steps
	}
	return min(s.steps+more, s.limits.Steps)
}

// goOn tells whether a phase ended without an answer and another one may take over.
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

// solvePruned solves one group of requests after the other. Groups do not depend on each other, so their
// first solutions put together are the first of all.
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
