package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var absentDriverIsWaitedFor = suite.Spec{
	ID:           "absent-driver-is-waited-for",
	Sentence:     "A pod whose driver is not on its node is not started, an event names the driver, and the pod runs when the driver is back.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesKubelet,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-driver-waited-for"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		absent := e.StopDriver(ctx, use.device.Driver, use.node)
		pod := use.start(ctx, e, "late")
		e.Waits(ctx, pod, use.device.Driver)
		absent.Returns(ctx)
		e.Runs(ctx, pod)
	},
}
