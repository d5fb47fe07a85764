package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var forceDeletedPodIsUnprepared = suite.Spec{
	ID:           "force-deleted-pod-is-unprepared",
	Sentence:     "The driver unprepares the devices of a force-deleted pod, so that other pods of the node can have them.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesDriver,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-unprepared-after-last-pod"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		whole := use.whole(ctx, e, e.Runs(ctx, use.start(ctx, e, "before"))[0])
		e.Delete(ctx, "before-0", true)
		e.Prepared(ctx, use.device.Driver, use.node, "before", false)

		e.Runs(ctx, whole.start(ctx, e, "whole"))
	},
}
