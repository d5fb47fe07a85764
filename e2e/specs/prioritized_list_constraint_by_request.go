package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListConstraintByRequest = suite.Spec{
	ID:       "prioritized-list-constraint-by-request",
	Sentence: "A constraint that names a request applies to each of its subrequests, and a subrequest that violates it is skipped.",
	Profile:  prioritizedList,
	Features: alternativesNeed,
	Judges:   suite.JudgesScheduler,
	Kinds:    alternativesOf,
	Nodes:    1,
	Requirements: []string{
		"4816-constraint-for-all-alternatives",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		of := freeChoices(ctx, e)
		anchor := anchorOf(of)

		e.Start(ctx, "free", []suite.Request{anchor, list("list", of.big, of.small)})
		isFor(ctx, e, "free", "the first alternative fits beside the anchor", "anchor", "list/big")
		e.Removed(ctx, "free")

		e.Start(ctx, "bound", []suite.Request{anchor, list("list", of.big, of.small)}, e.SameProfile("anchor", "list"))
		isFor(ctx, e, "bound", "a constraint demands the anchor's profile of the list", "anchor", "list/small")
		e.Removed(ctx, "bound")

		of = freeChoices(ctx, e)
		e.Start(ctx, "before", []suite.Request{list("list", of.big, of.small), anchorOf(of)}, e.SameProfile("list", "anchor"))
		isFor(ctx, e, "before", "a constraint demands the list's profile of the anchor, which has another one than the first alternative", "list/small", "anchor")
	},
}
