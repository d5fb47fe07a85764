package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var survivesDriverRestart = forEachKind("survives-driver-restart",
	"keeps running when the driver's process is killed, and the new process unprepares and prepares devices as before.",
	ofAllKinds("4381-containers-outlive-driver", "4381-driver-found-again", "4381-driver-prepares-after-restart", "4381-allocation-outlives-restarts"),
	[]suite.Need{suite.NeedsDrivers},
	func(ctx context.Context, e *suite.Env, k kind) {
		before := k.start(ctx, e, "before", suite.PodOptions{})
		e.RestartDriver(ctx, before.device.Driver, before.node())
		before.keptRunning(ctx, e, "the driver's restart")
		before.areReplaced(ctx, e)
	})
