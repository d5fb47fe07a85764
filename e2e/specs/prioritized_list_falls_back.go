package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListFallsBack = suite.Spec{
	ID:       "prioritized-list-falls-back",
	Sentence: "If the first subrequest does not fit, the next one is allocated, and the result names it as request/subrequest.",
	Profile:  prioritizedList,
	Features: alternativesNeed,
	Judges:   suite.JudgesScheduler,
	Kinds:    alternativesOf,
	Nodes:    1,
	Requirements: []string{
		"4816-one-alternative",
		"4816-next-if-the-first-does-not-fit",
		"4816-result-names-the-alternative",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		e.Start(ctx, "held", []suite.Request{{Name: "partition", Device: e.Subject.Partitions.Small}})
		of := choicesOf(e, e.Parent(ctx, e.Subject.Partitions.Parents, e.Runs(ctx, "held")[0]))

		e.Start(ctx, "list", []suite.Request{list("list", of.whole, of.small)})
		isFor(ctx, e, "list", "claim held holds a partition of the whole device", "list/small")
	},
}
