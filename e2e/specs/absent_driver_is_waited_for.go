package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

var absentDriverIsWaitedFor = suite.Spec{
	ID:           "absent-driver-is-waited-for",
	Sentence:     "A pod whose driver is not on its node is not started, an event names the driver, and the pod runs when the driver is back.",
	Profile:      driver,
	Features:     []features.Feature{features.Core, features.Partitions},
	Judges:       suite.JudgesDriver,
	Kinds:        []subject.Kind{subject.KindPartition},
	Nodes:        1,
	Needs:        []suite.Need{suite.NeedsDrivers},
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
