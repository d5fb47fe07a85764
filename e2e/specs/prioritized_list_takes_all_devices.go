package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListTakesAllDevices = suite.Spec{
	ID:       "prioritized-list-takes-all-devices",
	Sentence: "A subrequest for all devices gets all that match, and is skipped if one of them is in use or none matches.",
	Profile:  prioritizedList,
	Features: listsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage, suite.NeedsWholePools},
	Requirements: []string{
		"4816-all-devices-of-an-alternative",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, offers("card-0", "card-1", "disk-0", "disk-1"))
		all := func(name string) suite.Alternative {
			alternative := kindOf(stage, name)
			alternative.All = true
			return alternative
		}
		either := []suite.Request{list("list", all("card"), kindOf(stage, "disk"))}

		e.Start(ctx, "free", either)
		isScheduledFor(ctx, e, "free", "both cards are free", "list/card", "list/card")
		e.Removed(ctx, "free")

		e.Start(ctx, "holder", called(stage, "card-1"))
		e.Scheduled(ctx, "holder")
		e.Start(ctx, "late", either)
		isScheduledFor(ctx, e, "late", "claim holder has one of the cards", "list/disk")

		e.Start(ctx, "none", []suite.Request{list("list", all("port"), kindOf(stage, "disk"))})
		isScheduledFor(ctx, e, "none", "there is no port", "list/disk")
	},
}
