package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var affinityIsIgnoredWithoutFeature = suite.Spec{
	ID:           "affinity-is-ignored-without-feature",
	Sentence:     "A scheduler without sharing affinity lets claims share a device, whatever values they have and keys the device declares.",
	Profile:      affinity,
	Features:     []features.Feature{features.Core, features.SharedDevices},
	Without:      []features.Feature{features.SharingAffinity},
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"5981-off-ignores-field"},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared([]string{subnet}, "nic"))
		e.StartClaim(ctx, "a", claiming(anyOf(stage), inSubnet("a")))
		e.StartClaim(ctx, "b", claiming(anyOf(stage), inSubnet("b")))
		e.Start(ctx, "none", anyOf(stage))
		e.AllScheduled(ctx, "a", "b", "none")
	},
}
