package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityLockLastsUntilLastRelease = suite.Spec{
	ID:       "affinity-lock-lasts-until-last-release",
	Sentence: "A device stays locked while one of its claims is allocated, and accepts any values after the last one is deallocated.",
	Profile:  affinity,
	Features: sharingNeeds,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5981-other-claims-keep-the-lock",
		"5981-last-release-unlocks",
		"5981-clean-takes-any",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared([]string{subnet}, "nic"))
		for _, name := range []string{"first", "second"} {
			e.StartClaim(ctx, name, claiming(anyOf(stage), inSubnet("a")))
			e.Scheduled(ctx, name)
		}
		e.StartClaim(ctx, "other", claiming(anyOf(stage), inSubnet("b")))
		e.Refused(ctx, "other", "the device is locked by two claims")
		e.Removed(ctx, "first")
		e.Refused(ctx, "other", "the device is locked by the claim that is left")
		// The pod ends. Its claim still exists, but is deallocated.
		e.Ended(ctx, "second")
		e.Freed(ctx, "second")
		e.Scheduled(ctx, "other")

		e.StartClaim(ctx, "third", claiming(anyOf(stage), inSubnet("a")))
		e.Refused(ctx, "third", "the device is locked to the values of the claim that came after")
	},
}
