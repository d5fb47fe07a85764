package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

// A restarted node has lost everything in memory, such as CDI specs. Drivers
// must therefore prepare claims again that they have recorded as prepared.
var survivesNodeRestart = forEachKind("survives-node-restart",
	"runs again with the same device after its node is restarted, and the node unprepares and prepares devices.",
	ofAllKinds("4381-prepare-is-idempotent", "4381-cdi-files-after-node-restart", "4381-allocation-outlives-restarts"),
	[]suite.Need{suite.NeedsNodes, suite.NeedsDrivers},
	func(ctx context.Context, e *suite.Env, k kind) {
		before := k.start(ctx, e, "before", suite.PodOptions{Restarts: true})
		e.RestartNode(ctx, before.device.Driver, before.node())
		e.RunsAnew(ctx, before.containers[0], "the node's restart")
		for _, container := range before.containers[1:] {
			e.KeptRunning(ctx, container, "the restart of another node")
		}
		before.keptDevices(ctx, e, "the node's restart")
		before.areReplaced(ctx, e)
	})
