// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"math"

	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/internal/fault"
)

// check finds errors of the claims on this node before any device is chosen: errors of the plan, requests for all
// devices that cannot be evaluated, and claims that need more devices than they can hold. It checks request by
// request, so that it returns the first of several errors.
func (s *searcher) check() error {
	for c := range s.Plan.Claims {
		claim := &s.Plan.Claims[c]
		total := 0
		for r := claim.First; r < claim.End; r++ {
			least, err := s.least(&s.Plan.Requests[r])
			if err != nil {
				return err
			}
			if least > MaxResults-total {
				return fmt.Errorf("claim %s, request %s: adding %d devices exceeds the claim limit of %d, with %d already accounted for",
					plan.ClaimName(claim.API), s.Plan.Requests[r].API.Name, least, MaxResults, total)
			}
			total += least
		}
		if claim.Err != nil {
			return claim.Err
		}
		if fault.RefusesEmptyClaims && claim.First == claim.End {
			return fmt.Errorf("claim %s has no requests", plan.ClaimName(claim.API))
		}
	}
	return nil
}

// least returns the smallest number of devices that satisfies a request.
func (s *searcher) least(request *plan.Request) (int, error) {
	if request.Err != nil {
		return 0, request.Err
	}
	least := math.MaxInt
	for i := request.First; i < request.End; i++ {
		a := &s.alternatives[i]
		if a.Err != nil {
			return 0, a.Err
		}
		if a.All {
			if err := s.gather(a); err != nil {
				return 0, err
			}
		}
		least = min(least, a.need)
	}
	return least, nil
}

// gather finds all devices that suit a request for all devices, whether they are free or not. An incomplete or
// invalid pool is an error, because devices may be missing.
func (s *searcher) gather(a *alternative) error {
	a.all = a.all[:0]
	claim := plan.ClaimName(s.Plan.Claims[a.Claim].API)
	w := 0
	for i := range s.Node.Pools {
		pool := &s.Node.Pools[i]
		switch {
		case pool.Incomplete:
			return s.poolError(fmt.Errorf("claim %s, request %s: asks for all devices, but resource pool %s is currently being updated", claim, a.Name, pool.Key))
		case pool.Invalid != "":
			return s.poolError(fmt.Errorf("claim %s, request %s: asks for all devices, but resource pool %s is currently invalid", claim, a.Name, pool.Key))
		}
		for ; w < len(s.Node.Words) && s.Node.Words[w].Pool == i; w++ {
			if err := s.gatherWord(a, w); err != nil {
				return err
			}
		}
	}
	if fault.TakesAsManyAsFit {
		a.all = a.all[:min(len(a.all), MaxResults)]
	}
	a.need = len(a.all)
	if fault.TakesAllButOne && a.need > 1 {
		a.need--
	}
	return nil
}

func (s *searcher) gatherWord(a *alternative, w int) error {
	v := s.verdict(a, w)
	for rest := s.valid(w); rest != 0; rest &= rest - 1 {
		bit := rest & -rest
		if v.known&bit == 0 {
			if err := s.evaluate(a, w, bit, v); err != nil {
				return err
			}
		}
		if v.yes&bit != 0 {
			a.all = append(a.all, w*bits.WordSize+bits.First(bit))
		}
	}
	return nil
}

func (s *searcher) poolError(err error) error {
	if s.Fixes.PoolErrorsStayOnNode {
		return fmt.Errorf("%w%w", err, structured.ErrFailedAllocationOnNode)
	}
	return err
}
