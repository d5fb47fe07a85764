package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityBacktrackingUnlocks = suite.Spec{
	ID:       "affinity-backtracking-unlocks",
	Sentence: "A device that the scheduler tries for a request and does not allocate is not locked, neither for other requests of the claim nor for other claims.",
	Profile:  affinity,
	Features: sharingNeeds,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5981-tried-is-not-locked",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared([]string{subnet}, "one", "two"))
		// For one of the two claims, the device that the scheduler tries first
		// is the wrong one.
		for device, other := range map[string]string{"one": "two", "two": "one"} {
			pod := "needs-" + device
			requests := []suite.Request{as("first", anyOf(stage)), as("second", called(stage, device))}
			e.StartClaim(ctx, pod, claiming(requests, inSubnet("a", "first"), inSubnet("b", "second")))
			got := e.Scheduled(ctx, pod)
			gomega.Expect(got).To(gomega.HaveLen(2), "pod %s asks for two devices", pod)
			gomega.Expect(got[0].Device).To(gomega.Equal(other), "the first request should yield to the second one, which needs device %s for another value", device)
			e.Removed(ctx, pod)
		}

		e.StartClaim(ctx, "half", claiming([]suite.Request{as("first", called(stage, "one")), as("second", called(stage, "three"))}, inSubnet("a")))
		e.Refused(ctx, "half", "there is no third device")
		e.StartClaim(ctx, "other", claiming(called(stage, "one"), inSubnet("b")))
		e.Scheduled(ctx, "other")
	},
}
