// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package oracle solves small problems by exhaustive search, in the order that
// defines the answer.
package oracle

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/allocator/internal/testkit/check"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

var (
	// ErrTooLarge is returned if the limit of combinations was reached.
	ErrTooLarge = errors.New("too many combinations to try")
	// ErrUndefined is returned if the order in which devices are considered may
	// decide between an answer and an error, or if an error is certain.
	ErrUndefined = errors.New("the answer may be an error")
)

// First returns the first solution in the documented order: claim by claim,
// request by request, the first alternative that is compatible with the rest,
// the first devices. It returns nil without an error if there is no solution.
// It tries at most limit combinations.
func First(p *problem.Problem, node *corev1.Node, limit int) (*Solution, error) {
	return first(p, node, limit, func(rules *check.Rules, _ *check.Subrequest) []*check.Device { return rules.Devices })
}

// FirstPacked is First with the devices in the order in which claims with equal
// values share them (Config.PackSharingAffinity).
func FirstPacked(p *problem.Problem, node *corev1.Node, limit int) (*Solution, error) {
	return first(p, node, limit, (*check.Rules).Packed)
}

// order returns the devices in the order in which they are tried for a subrequest.
type order func(*check.Rules, *check.Subrequest) []*check.Device

func first(p *problem.Problem, node *corev1.Node, limit int, order order) (*Solution, error) {
	rules, err := check.New(p, node)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUndefined, err)
	}
	if err := decidable(rules); err != nil {
		return nil, err
	}
	search := &search{rules: rules, order: order, left: limit}
	found, err := search.request(0, 0)
	if err != nil || !found {
		return nil, err
	}
	return &Solution{Choices: search.choices}, nil
}

// Solution is a complete set of choices.
type Solution struct {
	Choices []check.Choice
}

// decidable verifies that the selectors of each request can be evaluated for
// each device without an error.
func decidable(rules *check.Rules) error {
	for claim, requests := range rules.Requests() {
		for request, alternatives := range requests {
			for _, subrequest := range alternatives {
				for _, device := range rules.Devices {
					if _, err := rules.Matches(subrequest, device); err != nil {
						return fmt.Errorf("%w: claim %d, request %d: %w", ErrUndefined, claim, request, err)
					}
				}
			}
		}
	}
	return nil
}

// search is an exhaustive search. Its only optimization is that it does not
// extend choices that already violate a rule.
type search struct {
	rules   *check.Rules
	order   order
	choices []check.Choice
	left    int
}

// request tries the alternatives of one request, and then the following
// requests.
func (s *search) request(claim, request int) (bool, error) {
	requests := s.rules.Requests()
	if claim == len(requests) {
		return true, nil
	}
	if request == len(requests[claim]) {
		return s.request(claim+1, 0)
	}
	for alternative, subrequest := range requests[claim][request] {
		next := check.Choice{Claim: claim, Request: request, Alternative: alternative}
		var found bool
		var err error
		if count, some := subrequest.Count(); some {
			found, err = s.devices(next, s.order(s.rules, subrequest), count)
		} else {
			found, err = s.all(next, subrequest)
		}
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// devices tries each combination of count devices, the first ones first.
func (s *search) devices(next check.Choice, devices []*check.Device, count int64) (bool, error) {
	if count == 0 {
		return s.request(next.Claim, next.Request+1)
	}
	for i, device := range devices {
		next.Device = device
		fits, err := s.push(next)
		if err != nil {
			return false, err
		}
		if fits {
			found, err := s.devices(next, devices[i+1:], count-1)
			if found || err != nil {
				return found, err
			}
		}
		s.pop()
	}
	return false, nil
}

// all takes all devices of a subrequest with allocation mode All, or fails.
func (s *search) all(next check.Choice, subrequest *check.Subrequest) (bool, error) {
	devices, err := s.rules.All(subrequest)
	if err != nil {
		return false, undefinedUnless(check.ErrNone, err)
	}
	before := len(s.choices)
	for _, device := range devices {
		next.Device = device
		fits, err := s.push(next)
		if err != nil {
			return false, err
		}
		if !fits {
			// It is an error if a constraint prevents that all devices are
			// taken.
			constrained := errors.Is(s.rules.Fits(s.choices), check.ErrConstraint)
			s.choices = s.choices[:before]
			if constrained {
				return false, fmt.Errorf("%w: %w", ErrUndefined, check.ErrConstraint)
			}
			return false, nil
		}
	}
	found, err := s.request(next.Claim, next.Request+1)
	if !found {
		s.choices = s.choices[:before]
	}
	return found, err
}

// undefinedUnless returns nil for the one error that means that there is no
// solution, and ErrUndefined otherwise.
func undefinedUnless(none, err error) error {
	if errors.Is(err, none) {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrUndefined, err)
}

// push appends a choice and reports whether the choices fit.
func (s *search) push(choice check.Choice) (bool, error) {
	if s.left--; s.left < 0 {
		return false, ErrTooLarge
	}
	s.choices = append(s.choices, choice)
	return s.rules.Fits(s.choices) == nil, nil
}

func (s *search) pop() {
	s.choices = s.choices[:len(s.choices)-1]
}
