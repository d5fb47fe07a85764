package specs

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListToleratesByAlternative = suite.Spec{
	ID:       "prioritized-list-tolerates-by-alternative",
	Sentence: "A device with a taint is allocated for a subrequest that tolerates it, and not for another subrequest of the same request.",
	Profile:  prioritizedList,
	Features: append([]features.Feature{features.DeviceTaints}, listsNeed...),
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"4816-tolerations-of-an-alternative",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		inventory := offers("card", "disk")
		inventory.Devices[0].Taints = []resourceapi.DeviceTaint{{Key: "draconform.dev/worn", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, inventory)

		devices := suite.Devices([]suite.Request{list("list", named("intolerant", kindOf(stage, "card")), named("tolerant", kindOf(stage, "card")), kindOf(stage, "disk"))})
		devices.Requests[0].FirstAvailable[1].Tolerations = []resourceapi.DeviceToleration{{Key: "draconform.dev/worn", Operator: resourceapi.DeviceTolerationOpExists}}
		e.StartClaim(ctx, "tolerant", devices)
		isScheduledFor(ctx, e, "tolerant", "the card has a taint that only the second alternative tolerates", "list/tolerant")
		e.Removed(ctx, "tolerant")

		e.Start(ctx, "intolerant", []suite.Request{list("list", kindOf(stage, "card"), kindOf(stage, "disk"))})
		isScheduledFor(ctx, e, "intolerant", "the card has a taint that its alternative does not tolerate", "list/disk")
	},
}
