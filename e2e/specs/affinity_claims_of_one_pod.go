package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityClaimsOfOnePod = suite.Spec{
	ID:       "affinity-claims-of-one-pod",
	Sentence: "Two claims of one pod share a device if they have the same values, and do not if the values differ.",
	Profile:  affinity,
	Features: sharingNeeds,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5981-claims-of-one-pod",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared([]string{subnet}, "nic"))
		pair := func(pod, first, second string) {
			e.StartClaims(ctx, pod, claiming(called(stage, "nic"), inSubnet(first)), claiming(called(stage, "nic"), inSubnet(second)))
		}

		pair("different", "a", "b")
		e.Refused(ctx, "different", "its claims state different values for the only device")
		pair("same", "b", "b")
		e.Scheduled(ctx, "same")
	},
}
