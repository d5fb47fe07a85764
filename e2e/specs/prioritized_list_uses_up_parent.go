package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListUsesUpParent = suite.Spec{
	ID:       "prioritized-list-uses-up-parent",
	Sentence: "Claims with the same list of partitions get smaller and smaller ones until their parent is used up, and then the first that fits what is released.",
	Profile:  prioritizedList,
	Features: append([]features.Feature{features.Partitions}, listsNeed...),
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"4816-first-that-fits",
		"4816-next-if-the-first-does-not-fit",
		"4816-refused-if-none-fits",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, described("quarters.yaml"))
		sizes := []suite.Request{list("list", kindOf(stage, "whole"), kindOf(stage, "half"), kindOf(stage, "quarter"))}

		e.Start(ctx, "held", []suite.Request{{Name: "quarter", Device: kindOf(stage, "quarter").Device}})
		e.Scheduled(ctx, "held")
		e.Start(ctx, "second", sizes)
		isScheduledFor(ctx, e, "second", "three quarters are left", "list/half")
		e.Start(ctx, "third", sizes)
		isScheduledFor(ctx, e, "third", "a quarter is left", "list/quarter")
		e.Start(ctx, "fourth", sizes)
		e.Refused(ctx, "fourth", "nothing is left")
		e.Removed(ctx, "second")
		isScheduledFor(ctx, e, "fourth", "a half was released", "list/half")
	},
}
