package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityLocksSurviveSchedulerRestart = suite.Spec{
	ID:       "affinity-locks-survive-scheduler-restart",
	Sentence: "After a restart, the scheduler derives the locks of devices from their claims, and knows which devices have claims without values.",
	Profile:  affinity,
	Features: sharingNeeds,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage, suite.NeedsScheduler},
	Requirements: []string{
		"5981-restart-reconstructs",
		"5981-unknown-keeps-out",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared(nil, "locked", "unknown", "clean"))
		e.StartClaim(ctx, "locks", claiming(called(stage, "locked"), inSubnet("a")))
		e.Scheduled(ctx, "locks")
		e.Start(ctx, "silent", called(stage, "unknown"))
		e.Scheduled(ctx, "silent")
		republish(ctx, e, stage, shared([]string{subnet}, "locked", "unknown", "clean"))

		e.RestartScheduler(ctx)
		// These claims come before any claim that joins the devices. The
		// scheduler could learn lost values from the latter.
		e.StartClaim(ctx, "other", claiming(called(stage, "locked"), inSubnet("b")))
		e.StartClaim(ctx, "joins-unknown", claiming(called(stage, "unknown"), inSubnet("a")))
		e.EachRefused(ctx, map[string]string{
			"other":         "the device is locked to another value",
			"joins-unknown": "the claim on the device states nothing",
		})
		e.StartClaim(ctx, "joins", claiming(called(stage, "locked"), inSubnet("a")))
		e.StartClaim(ctx, "takes", claiming(called(stage, "clean"), inSubnet("b")))
		e.AllScheduled(ctx, "joins", "takes")
	},
}
