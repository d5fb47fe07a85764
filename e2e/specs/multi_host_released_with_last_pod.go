package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var multiHostReleasedWithLastPod = suite.Spec{
	ID:           "multi-host-released-with-last-pod",
	Sentence:     "A device of several nodes is released when the last pod that uses its claim is gone, in whichever order they go, and then somebody else can have it.",
	Profile:      multiHost,
	Features:     []features.Feature{features.Core, features.Partitions},
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"4815-release-returns-counters"},
	Body: func(ctx context.Context, e *suite.Env) {
		g := stageGrid(ctx, e, "4x4")
		pods := e.StartUsers(ctx, "whole", g.of("4x4"), 4, suite.PodOptions{})
		nodesOf(ctx, e, pods...)
		startOne(ctx, e, "late", g.at("2x4", "0,0"))
		e.Refused(ctx, "late", "claim whole holds all hosts")

		// The claim is not deleted, so that only its pods keep the device
		// allocated.
		e.Ended(ctx, pods[0], pods[2])
		e.Refused(ctx, "late", "two of the pods of claim whole are still there")
		e.Ended(ctx, pods[3], pods[1])
		e.Scheduled(ctx, "late")
	},
}
