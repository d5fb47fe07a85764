package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListTakesFirst = suite.Spec{
	ID:       "prioritized-list-takes-first",
	Sentence: "Of the subrequests that fit, the first in the list is allocated, whether it is larger or smaller.",
	Profile:  prioritizedList,
	Smoke:    true,
	Features: alternativesNeed,
	Judges:   suite.JudgesScheduler,
	Kinds:    alternativesOf,
	Nodes:    1,
	Requirements: []string{
		"4816-alternative-defaults",
		"4816-one-alternative",
		"4816-first-that-fits",
		"4816-result-names-the-alternative",
		"4816-drivers-see-no-difference",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		of := freeChoices(ctx, e)

		e.Start(ctx, "larger", []suite.Request{list("list", of.whole, of.small)})
		isFor(ctx, e, "larger", "both alternatives fit and the whole device is preferred", "list/whole")
		e.Removed(ctx, "larger")

		e.Start(ctx, "smaller", []suite.Request{list("list", of.small, of.whole)})
		isFor(ctx, e, "smaller", "both alternatives fit and the partition is preferred", "list/small")
	},
}
