// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/allocator/internal/search"
	"github.com/draconform/draconform/allocator/internal/selector"
)

// explainSteps bounds all searches of one explanation together. probeSteps bounds each of them.
const (
	explainSteps = 1_000_000
	probeSteps   = 50_000
)

// Search is a search for devices on a node that has ended.
type Search struct {
	Node      *corev1.Node
	Inventory *pools.Inventory
	Memo      *selector.Memo
	// Problem is the input of the search. Its Node is nil if the search ended with an error before it began.
	Problem *search.Problem
	// MaxSteps bounds each further search.
	MaxSteps int
	// Answer is nil if there is no allocation.
	Answer *search.Answer
	Err    error
}

// New explains a search. It evaluates every device and searches several times. holders may be nil. An error is
// returned only if the context ends.
func New(ctx context.Context, s Search, holders Holders) (*Explanation, error) {
	e := &explainer{
		Problem: s.Problem, search: s, holders: holders, steps: explainSteps, drawn: map[int]bool{},
		out: &Explanation{Node: s.Node.Name, Claims: []Claim{}},
	}
	if ctx.Err() == nil {
		e.explain(ctx)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("explain allocation on node %s: %w", s.Node.Name, context.Cause(ctx))
	}
	return e.out, nil
}

// explainer is the state of one call of New.
type explainer struct {
	*search.Problem
	search  Search
	holders Holders
	steps   int // The rest of explainSteps.
	out     *Explanation
	drawn   map[int]bool // The pools of the node from which at least one request selects devices.
}

func (e *explainer) explain(ctx context.Context) {
	switch {
	case e.search.Err != nil:
		e.out.Outcome, e.out.Error = OutcomeError, oneLine(e.search.Err)
	case e.search.Answer != nil:
		e.out.Outcome = OutcomeFit
	default:
		e.out.Outcome = OutcomeNoFit
	}
	if e.Node == nil {
		return
	}
	e.poolProblems()
	usage := newNodeUsage(e.Problem, e.search.Memo)
	e.out.Devices = len(usage.positions())
	if e.search.Answer != nil {
		e.fit(ctx, usage, e.search.Answer)
	} else {
		e.noFit(ctx, usage)
	}
	e.pictures(usage)
}

// each calls f for every compiled request, in the order of the claims, and stores the result.
func (e *explainer) each(f func(request int) []Alternative) {
	for c := range e.Plan.Claims {
		claim := Claim{Name: plan.ClaimName(e.Plan.Claims[c].API), Requests: []Request{}}
		if err := e.Plan.Claims[c].Err; err != nil {
			claim.Error = oneLine(err)
		}
		for r := e.Plan.Claims[c].First; r < e.Plan.Claims[c].End; r++ {
			request := Request{Name: e.Plan.Requests[r].API.Name}
			if err := e.Plan.Requests[r].Err; err != nil {
				request.Error = oneLine(err)
			}
			request.Alternatives = f(r)
			claim.Requests = append(claim.Requests, request)
		}
		e.out.Claims = append(e.out.Claims, claim)
	}
}

// fit reports, for each request, the chosen devices and the devices that were skipped.
func (e *explainer) fit(ctx context.Context, u *nodeUsage, answer *search.Answer) {
	picks := answer.Picks
	held := make([]int, len(e.Plan.Claims))
	e.each(func(r int) []Alternative {
		chosen := answer.Alternatives[r]
		claim := e.Plan.Requests[r].Claim
		list := []Alternative{}
		for i := e.Plan.Requests[r].First; i < chosen; i++ {
			list = append(list, e.skipped(ctx, u, i, held[claim]))
		}
		n := 0
		for n < len(picks) && picks[n].Alternative == chosen {
			n++
		}
		list = append(list, e.chosen(ctx, u, chosen, picks[:n]))
		picks = picks[n:]
		held[claim] += n
		return list
	})
}

// skipped describes an alternative before the chosen one. held is the number of devices of the claim so far. If
// enough devices are free, skipped also reports whether the alternative fits alone.
func (e *explainer) skipped(ctx context.Context, u *nodeUsage, index, held int) Alternative {
	out := e.alternative(ctx, u, index, u.positions())
	e.limit(&out, held)
	if out.Error == "" && out.Free >= out.Count {
		_, out.Alone = e.probe(ctx, func(i int) bool { return i == index }, 0)
	}
	return out
}

// limit sets an error if the claim cannot hold the devices of an alternative in addition to its current ones.
func (e *explainer) limit(out *Alternative, held int) {
	requested := out.Count
	if out.All {
		requested = out.Matched
	}
	if held+requested > search.MaxResults {
		out.Error = fmt.Sprintf("requests %d devices in addition to the %d of the claim, which can hold %d", requested, held, search.MaxResults)
	}
}

// chosen describes the chosen alternative. The devices before each choice are evaluated in the state before that
// choice.
func (e *explainer) chosen(ctx context.Context, u *nodeUsage, index int, picks []search.Pick) Alternative {
	a := &e.Plan.Alternatives[index]
	out := Alternative{Name: a.Result, Count: a.Count, All: a.All}
	var excluded reasons
	known := map[int]bool{}
	for _, pick := range picks {
		known[pick.Position] = true
	}
	for _, pick := range picks {
		for _, position := range u.positions() {
			if position >= pick.Position || known[position] {
				continue
			}
			known[position] = true
			reason, matched := u.check(ctx, a, position)
			if reason == nil {
				reason = e.later()
			}
			e.count(&out, matched, position)
			excluded.add(reason, e, u, position)
		}
		e.count(&out, true, pick.Position)
		out.Chosen = append(out.Chosen, u.name(pick.Position))
		u.choose(ctx, choice{index, pick.Position})
	}
	out.Reasons = excluded.list()
	return out
}

// later returns the reason for a device that is free and was not chosen.
func (e *explainer) later() *Reason {
	if e.Affinity.Packing() {
		return &Reason{Kind: ReasonLater, Message: "free, but devices locked to the same values come first, or the other requests do not fit if it is chosen"}
	}
	return &Reason{Kind: ReasonLater, Message: "free, but the other requests do not fit if it is chosen"}
}

// count counts an evaluated device.
func (e *explainer) count(out *Alternative, matched bool, position int) {
	out.Considered++
	if !matched {
		return
	}
	out.Matched++
	e.drawn[e.Node.Words[position/bits.WordSize].Pool] = true
}

// alternative evaluates the devices at the given positions for an alternative, each separately.
func (e *explainer) alternative(ctx context.Context, u *nodeUsage, index int, positions []int) Alternative {
	a := &e.Plan.Alternatives[index]
	out := Alternative{Name: a.Result, Count: a.Count, All: a.All}
	if a.Err != nil {
		out.Error = oneLine(a.Err)
		return out
	}
	var excluded reasons
	for _, position := range positions {
		reason, matched := u.check(ctx, a, position)
		e.count(&out, matched, position)
		if reason == nil {
			out.Free++
		} else {
			excluded.add(reason, e, u, position)
		}
	}
	out.Reasons = excluded.list()
	return out
}
