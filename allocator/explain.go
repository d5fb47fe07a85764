package allocator

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/search"
)

// Holders returns the claims that hold a device or shares of it. The allocated state does not contain this
// information.
type Holders func(device structured.DeviceID) []types.NamespacedName

// HoldersOf returns Holders that are based on the status of claims.
func HoldersOf(claims []*resourceapi.ResourceClaim) Holders {
	holders := map[structured.DeviceID][]types.NamespacedName{}
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		name := types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}
		for i := range claim.Status.Allocation.Devices.Results {
			result := &claim.Status.Allocation.Devices.Results[i]
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			admin := result.AdminAccess != nil && *result.AdminAccess
			if !admin && !slices.Contains(holders[id], name) {
				holders[id] = append(holders[id], name)
			}
		}
	}
	return func(id structured.DeviceID) []types.NamespacedName { return holders[id] }
}

// ExplainOption is an option of Explain.
type ExplainOption func(*explainer)

// WithHolders makes an explanation name the claims that hold devices.
func WithHolders(holders Holders) ExplainOption { return func(e *explainer) { e.holders = holders } }

// explainSteps bounds all searches of one explanation together. probeSteps bounds each of them except the first.
const (
	explainSteps = 1_000_000
	probeSteps   = 50_000
)

// Explain reports what Allocate returns for the same arguments, and why. It evaluates every device and searches
// several times, so it is meant for diagnosis. Allocate does not prepare anything for it.
//
// An error of Allocate becomes a part of the explanation. Explain returns an error only if the context ends.
func (a *Allocator) Explain(ctx context.Context, node *corev1.Node, claims []*resourceapi.ResourceClaim, options ...ExplainOption) (*Explanation, error) {
	e := &explainer{allocator: a, node: node, steps: explainSteps, out: &Explanation{Node: node.Name, Claims: []ClaimExplanation{}}}
	for _, option := range options {
		option(e)
	}
	problem := &search.Problem{}
	answer, found, err := a.search(ctx, node, claims, problem)
	if found {
		_, err = results(problem, &answer, node.Name)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("explain allocation on node %s: %w", node.Name, context.Cause(ctx))
	}
	switch {
	case err != nil:
		e.out.Outcome, e.out.Error = OutcomeError, oneLine(err)
	case found:
		e.out.Outcome = OutcomeFit
	default:
		e.out.Outcome = OutcomeNoFit
	}
	if problem.Node == nil {
		return e.out, nil
	}
	e.Problem = problem
	e.poolProblems()
	books := newBooks(problem, a.snapshot.memo)
	e.out.Devices = len(books.positions())
	if found {
		e.fit(ctx, books, &answer)
	} else {
		e.noFit(ctx, books)
	}
	e.pictures(books)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("explain allocation on node %s: %w", node.Name, context.Cause(ctx))
	}
	return e.out, nil
}

// explainer is the state of one call of Explain.
type explainer struct {
	*search.Problem
	allocator *Allocator
	node      *corev1.Node
	holders   Holders
	steps     int // The rest of explainSteps.
	out       *Explanation
	drawn     map[int]bool // The pools of the node from which at least one request selects devices.
}

// each calls f for every compiled request, in the order of the claims, and stores the result.
func (e *explainer) each(f func(request int) []AlternativeExplanation) {
	for c := range e.Plan.Claims {
		claim := ClaimExplanation{Name: plan.ClaimName(e.Plan.Claims[c].API), Requests: []RequestExplanation{}}
		if err := e.Plan.Claims[c].Err; err != nil {
			claim.Error = oneLine(err)
		}
		for r := e.Plan.Claims[c].First; r < e.Plan.Claims[c].End; r++ {
			request := RequestExplanation{Name: e.Plan.Requests[r].API.Name}
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
func (e *explainer) fit(ctx context.Context, b *books, answer *search.Answer) {
	picks := answer.Picks
	held := make([]int, len(e.Plan.Claims))
	e.each(func(r int) []AlternativeExplanation {
		chosen := answer.Alternatives[r]
		claim := e.Plan.Requests[r].Claim
		list := []AlternativeExplanation{}
		for i := e.Plan.Requests[r].First; i < chosen; i++ {
			list = append(list, e.passedOver(ctx, b, i, held[claim]))
		}
		n := 0
		for n < len(picks) && picks[n].Alternative == chosen {
			n++
		}
		list = append(list, e.chosen(ctx, b, chosen, picks[:n]))
		picks = picks[n:]
		held[claim] += n
		return list
	})
}

// passedOver describes an alternative before the chosen one. held is the number of devices of the claim so far. If
// enough devices are free, passedOver also reports whether the alternative fits alone.
func (e *explainer) passedOver(ctx context.Context, b *books, index, held int) AlternativeExplanation {
	out := e.alternative(ctx, b, index, b.positions())
	e.limit(&out, held)
	if out.Error == "" && out.Free >= out.Count {
		_, out.Alone = e.probe(ctx, func(i int) bool { return i == index }, 0)
	}
	return out
}

// limit sets an error if an alternative wants more devices than the claim can hold in addition to its current ones.
func (e *explainer) limit(out *AlternativeExplanation, held int) {
	wants := out.Count
	if out.All {
		wants = out.Matched
	}
	if held+wants > search.MaxResults {
		out.Error = fmt.Sprintf("wants %d beside the %d devices of the claim, which can hold %d", wants, held, search.MaxResults)
	}
}

// chosen describes the chosen alternative. The devices before each choice are evaluated in the state before that
// choice.
func (e *explainer) chosen(ctx context.Context, b *books, index int, picks []search.Pick) AlternativeExplanation {
	a := &e.Plan.Alternatives[index]
	out := AlternativeExplanation{Name: a.Result, Count: a.Count, All: a.All}
	var fallen reasons
	known := map[int]bool{}
	for _, pick := range picks {
		known[pick.Position] = true
	}
	for _, pick := range picks {
		for _, position := range b.positions() {
			if position >= pick.Position || known[position] {
				continue
			}
			known[position] = true
			reason, matched := b.judge(ctx, a, position)
			if reason == nil {
				reason = e.later()
			}
			e.count(&out, matched, position)
			fallen.add(reason, e, b, position)
		}
		e.count(&out, true, pick.Position)
		out.Chosen = append(out.Chosen, b.name(pick.Position))
		b.take(ctx, choice{index, pick.Position})
	}
	out.Reasons = fallen.list()
	return out
}

// later returns the reason for a device that is free and was not chosen.
func (e *explainer) later() *Reason {
	if e.allocator.config.PackSharingAffinity {
		return &Reason{Kind: ReasonLater, Message: "free, but devices locked to the same values come first, or the rest does not fit with it"}
	}
	return &Reason{Kind: ReasonLater, Message: "free, but with it the rest does not fit"}
}

func (e *explainer) count(out *AlternativeExplanation, matched bool, position int) {
	out.Considered++
	if !matched {
		return
	}
	out.Matched++
	if e.drawn == nil {
		e.drawn = map[int]bool{}
	}
	e.drawn[e.Node.Words[position/bits.WordSize].Pool] = true
}

func (e *explainer) alternative(ctx context.Context, b *books, index int, positions []int) AlternativeExplanation {
	a := &e.Plan.Alternatives[index]
	out := AlternativeExplanation{Name: a.Result, Count: a.Count, All: a.All}
	if a.Err != nil {
		out.Error = oneLine(a.Err)
		return out
	}
	var fallen reasons
	for _, position := range positions {
		reason, matched := b.judge(ctx, a, position)
		e.count(&out, matched, position)
		if reason == nil {
			out.Free++
		} else {
			fallen.add(reason, e, b, position)
		}
	}
	out.Reasons = fallen.list()
	return out
}
