// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"errors"
	"slices"

	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/search"
)

// noFit reports, for each request, why devices were excluded. It also looks for requests that do not fit together.
func (e *explainer) noFit(ctx context.Context, u *nodeUsage) {
	valid := e.valid()
	alone := make([]Outcome, len(e.Plan.Requests))
	e.each(func(r int) []Alternative {
		list := []Alternative{}
		for i := e.Plan.Requests[r].First; i < e.Plan.Requests[r].End; i++ {
			out := e.alternative(ctx, u, i, u.positions())
			if valid {
				_, out.Alone = e.probe(ctx, func(j int) bool { return j == i }, 0)
				alone[r] = better(alone[r], out.Alone)
				if out.Alone == OutcomeNoFit && !out.All && out.Free >= out.Count {
					e.most(ctx, i, &out)
				}
			}
			list = append(list, out)
		}
		return list
	})
	if !valid {
		return
	}
	for r, outcome := range alone {
		if outcome == OutcomeNoFit {
			e.out.Blocking = append(e.out.Blocking, e.Plan.RequestName(r))
		}
	}
	if !slices.ContainsFunc(alone, func(o Outcome) bool { return o != OutcomeFit }) {
		e.conflict(ctx)
	}
}

// better returns the outcome of a request from the outcomes of two of its alternatives.
func better(a, b Outcome) Outcome {
	for _, outcome := range []Outcome{OutcomeFit, OutcomeError, OutcomeUnknown} {
		if a == outcome || b == outcome {
			return outcome
		}
	}
	return b
}

// valid returns whether claims, requests and alternatives are free of errors, so that a search is possible.
func (e *explainer) valid() bool {
	return len(e.Plan.Requests) > 0 &&
		!slices.ContainsFunc(e.Plan.Claims, func(c plan.Claim) bool { return c.Err != nil }) &&
		!slices.ContainsFunc(e.Plan.Requests, func(r plan.Request) bool { return r.Err != nil }) &&
		!slices.ContainsFunc(e.Plan.Alternatives, func(a plan.Alternative) bool { return a.Err != nil })
}

// probe searches with some of the alternatives only. A count other than 0 replaces the count of each of them. The
// returned choices refer to the complete plan.
func (e *explainer) probe(ctx context.Context, keep func(alternative int) bool, count int) ([]choice, Outcome) {
	subset, origin := e.Plan.Subset(keep)
	for i := range subset.Alternatives {
		if count > 0 {
			subset.Alternatives[i].Count = count
		}
	}
	problem := *e.Problem
	problem.Plan, problem.Memory = subset, nil
	limit := min(probeSteps, e.steps, e.search.MaxSteps)
	if limit <= 0 {
		return nil, OutcomeUnknown
	}
	answer, found, stats, err := search.Run(ctx, &problem, search.Limits{Steps: limit})
	e.steps -= stats.Steps
	switch {
	case errors.Is(err, search.ErrBudget):
		return nil, OutcomeUnknown
	case err != nil:
		return nil, OutcomeError
	case !found:
		return nil, OutcomeNoFit
	}
	choices := make([]choice, len(answer.Picks))
	for i, pick := range answer.Picks {
		choices[i] = choice{origin[pick.Alternative], pick.Position}
	}
	return choices, OutcomeFit
}

// most finds how many devices of an alternative fit at the same time, and what excludes one more.
func (e *explainer) most(ctx context.Context, index int, out *Alternative) {
	var best []choice
	low, high := 0, out.Count
	for low+1 < high {
		middle := (low + high) / 2
		choices, outcome := e.probe(ctx, func(i int) bool { return i == index }, middle)
		switch outcome {
		case OutcomeFit:
			low, best = middle, choices
		case OutcomeNoFit:
			high = middle
		default:
			return
		}
	}
	if low == 0 {
		return
	}
	out.Most = low
	out.Remainder = e.remainder(ctx, best, e.Plan.Alternatives[index].Request, func(i int) bool { return i == index })
}

// remainder evaluates a request after the given choices. Devices that were chosen for the request itself are omitted.
func (e *explainer) remainder(ctx context.Context, choices []choice, request int, keep func(alternative int) bool) *Remainder {
	u := newNodeUsage(e.Problem, e.search.Memo)
	out := &Remainder{Chosen: []Choice{}, Alternatives: []Alternative{}}
	own, held := map[int]bool{}, 0
	for _, c := range choices {
		u.choose(ctx, c)
		a := &e.Plan.Alternatives[c.alternative]
		own[c.position] = own[c.position] || a.Request == request
		if a.Claim == e.Plan.Requests[request].Claim && a.Request != request {
			held++
		}
		claim := plan.ClaimName(e.Plan.Claims[a.Claim].API)
		out.Chosen = append(out.Chosen, Choice{Request: claim + ": " + a.Result, Device: u.name(c.position)})
	}
	positions := slices.DeleteFunc(u.positions(), func(position int) bool { return own[position] })
	for i := e.Plan.Requests[request].First; i < e.Plan.Requests[request].End; i++ {
		if !keep(i) {
			continue
		}
		alternative := e.alternative(ctx, u, i, positions)
		e.limit(&alternative, held)
		out.Alternatives = append(out.Alternatives, alternative)
	}
	return out
}

// conflict looks for a small set of requests that do not fit together. It removes one request after the other, from
// the end. A request stays removed if the remaining requests still do not fit.
func (e *explainer) conflict(ctx context.Context) {
	in := make([]bool, len(e.Plan.Requests))
	for r := range in {
		in[r] = true
	}
	keep := func(i int) bool { return in[e.Plan.Alternatives[i].Request] }
	if _, outcome := e.probe(ctx, keep, 0); outcome != OutcomeNoFit {
		return // There is another cause, or the search exceeds its limit.
	}
	out := &Conflict{Smallest: true}
	for r := range slices.Backward(in) {
		in[r] = false
		_, outcome := e.probe(ctx, keep, 0)
		in[r] = outcome != OutcomeNoFit
		out.Smallest = out.Smallest && (outcome == OutcomeNoFit || outcome == OutcomeFit)
	}
	last := -1
	for r, member := range in {
		if member {
			out.Requests = append(out.Requests, e.Plan.RequestName(r))
			last = r
		}
	}
	e.out.Conflict = out
	if last < 0 {
		return
	}
	in[last] = false
	if choices, outcome := e.probe(ctx, keep, 0); outcome == OutcomeFit {
		out.Example = e.remainder(ctx, choices, last, func(int) bool { return true })
	}
}
