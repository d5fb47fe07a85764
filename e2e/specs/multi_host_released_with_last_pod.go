package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var multiHostReleasedWithLastPod = suite.Spec{
	ID:           "multi-host-released-with-last-pod",
	Sentence:     "A device of several nodes is deallocated when the last pod of its claim is deleted, in whichever order the pods are deleted, and can then be allocated to another claim.",
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
