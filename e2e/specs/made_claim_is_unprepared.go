package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var madeClaimIsUnprepared = suite.Spec{
	ID:           "made-claim-is-unprepared",
	Sentence:     "When a pod is force-deleted, its claim from a template is deleted too, and the driver still unprepares its devices.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesKubelet,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-unprepared-after-last-pod"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		e.Template(ctx, "template", suite.Devices([]suite.Request{{Name: "device", Device: use.device}}))
		e.StartFromTemplate(ctx, "pod", "template", use.node)
		whole := use.whole(ctx, e, e.Runs(ctx, "pod")[0])
		made := e.MadeClaim(ctx, "pod")
		e.Prepared(ctx, use.device.Driver, use.node, made, true)

		e.Delete(ctx, "pod", true)
		e.ClaimGone(ctx, made, "the pod is gone that it was made for")
		e.Prepared(ctx, use.device.Driver, use.node, made, false)
		e.Runs(ctx, whole.start(ctx, e, "whole"))
	},
}
