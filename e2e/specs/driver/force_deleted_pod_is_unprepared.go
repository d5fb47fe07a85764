package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// forceDeletedPodIsUnprepared deletes a running pod by force, waits until its
// claim is unprepared, and starts another pod with the whole device that the
// pod had a part of.
var forceDeletedPodIsUnprepared = suite.Spec{
	ID:           "force-deleted-pod-is-unprepared",
	Description:  "The driver unprepares the devices of a force-deleted pod, so that other pods of the node can have them.",
	Profile:      profile,
	Features:     contractFeatures,
	Component:    env.Driver,
	Kinds:        contractKinds,
	MinNodes:     1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-unprepared-after-last-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		use := useOnNode(ctx, e)
		whole := use.whole(ctx, e, pods.WaitForRunning(ctx, e, use.start(ctx, e, "before"))[0])
		pods.DeleteByForce(ctx, e, "before-0")
		drivers.WaitForUnprepared(ctx, e, use.device.Driver, use.node, "before")

		pods.WaitForRunning(ctx, e, whole.start(ctx, e, "whole"))
	},
}
