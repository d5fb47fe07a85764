package specs

import (
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListKeepsToLimitOfResults = suite.Spec{
	ID:       "prioritized-list-keeps-to-limit-of-results",
	Sentence: "A subrequest is skipped if the claim would exceed the limit of devices in an allocation. One that reaches the limit is not.",
	Profile:  prioritizedList,
	Features: listsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"4816-alternatives-and-the-limit",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		const limit = resourceapi.AllocationResultsMaxSize
		stage := e.Stage(ctx, 1)
		names := []string{"disk"}
		for i := range limit + 1 {
			names = append(names, fmt.Sprintf("card-%d", i))
		}
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, offers(names...))
		cards := func(count int64) suite.Alternative {
			cards := kindOf(stage, "card")
			cards.Count = count
			return cards
		}

		e.Start(ctx, "beyond", []suite.Request{list("few", cards(2)), list("list", cards(limit-1), kindOf(stage, "disk"))})
		isScheduledFor(ctx, e, "beyond", "the first alternative would make one device too many", "few/card", "few/card", "list/disk")
		e.Removed(ctx, "beyond")

		e.Start(ctx, "within", []suite.Request{list("few", cards(1)), list("list", cards(limit-1), kindOf(stage, "disk"))})
		isScheduledFor(ctx, e, "within", "an allocation has room for both", append(slices.Repeat([]string{"list/card"}, limit-1), "few/card")...)
	},
}
