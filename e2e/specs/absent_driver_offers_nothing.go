package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var absentDriverOffersNothing = suite.Spec{
	ID:           "absent-driver-offers-nothing",
	Sentence:     "When a driver leaves a node, pods keep running, its ResourceSlices are deleted after a while, and its devices are not allocated. When it is back, its devices are available again.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesDriver,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-slices-of-absent-drivers-removed", "4381-containers-outlive-driver", "4381-slices-published-again"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		before := use.start(ctx, e, "before")
		e.Runs(ctx, before)
		container := e.Container(ctx, before)
		absent := e.StopDriver(ctx, use.device.Driver, use.node)
		// The kubelet removes the ResourceSlices half a minute after the driver
		// is gone.
		e.NothingPublished(ctx, use.device.Driver, use.node)
		late := use.start(ctx, e, "late")
		e.Refused(ctx, late, "the driver is not on the node, and no slice offers its devices")
		absent.Returns(ctx)
		e.Runs(ctx, late)
		e.KeptRunning(ctx, container, "the driver's absence")
		e.Prepared(ctx, use.device.Driver, use.node, "before", true)
	},
}
