package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityOtherValuesGetAnotherDevice = suite.Spec{
	ID:       "affinity-other-values-get-another-device",
	Sentence: "Claims with different values get different devices. Claims without values get a device that declares no keys. A claim without such a device is pending.",
	Profile:  affinity,
	Features: sharingNeeds,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5981-same-values-share",
		"5981-other-values-apart",
		"5981-lock-of-one-device",
		"5981-missing-entry",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared([]string{subnet}, "nic-0", "nic-1"))
		e.StartClaim(ctx, "a", claiming(anyOf(stage), inSubnet("a")))
		first := e.Scheduled(ctx, "a")
		e.StartClaim(ctx, "b", claiming(anyOf(stage), inSubnet("b")))
		second := e.Scheduled(ctx, "b")
		gomega.Expect(second).NotTo(gomega.Equal(first), "claims with different values should not share a device")

		e.StartClaim(ctx, "more-a", claiming(anyOf(stage), inSubnet("a")))
		isHad(ctx, e, first[0].Device, "more-a", "the other one is locked to another value")
		e.StartClaim(ctx, "more-b", claiming(anyOf(stage), inSubnet("b")))
		isHad(ctx, e, second[0].Device, "more-b", "the other one is locked to another value")
		e.StartClaim(ctx, "c", claiming(anyOf(stage), inSubnet("c")))
		e.Start(ctx, "none", anyOf(stage))
		e.EachRefused(ctx, map[string]string{
			"c":    "both devices are locked to other values",
			"none": "it states nothing and both devices declare a key",
		})

		stage.Publish(ctx, suite.Pool{Name: "more", Node: stage.Nodes[0]}, shared(nil, "plain"))
		isHad(ctx, e, "plain", "none", "it declares nothing")
		isHad(ctx, e, "plain", "c", "it declares nothing")
	},
}
