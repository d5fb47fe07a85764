package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListCountsEachAlternative = suite.Spec{
	ID:       "prioritized-list-counts-each-alternative",
	Sentence: "A subrequest fits if as many devices as its count are free, and exactly that many are allocated.",
	Profile:  prioritizedList,
	Features: alternativesNeed,
	Judges:   suite.JudgesScheduler,
	Kinds:    alternativesOf,
	Nodes:    1,
	Requirements: []string{
		"4816-next-if-the-first-does-not-fit",
		"4816-count-of-an-alternative",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		of := freeChoices(ctx, e)

		e.Start(ctx, "list", []suite.Request{list("list", two(of.whole), two(of.small))})
		isFor(ctx, e, "list", "a parent is one whole device and not two", "list/small", "list/small")
	},
}
