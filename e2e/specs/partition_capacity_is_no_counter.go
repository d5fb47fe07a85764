package specs

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/suite"
)

var partitionCapacityIsNoCounter = suite.Spec{
	ID:       "partition-capacity-is-no-counter",
	Sentence: "The capacity of a device is what selectors see. It does not affect what the device consumes.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Since:    "1.35",
	Requirements: []string{
		"4815-capacity-apart-from-counters",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		poolsFrom("capacity-and-counters").publish(ctx, stage, stage.Nodes[0])
		of := func(capacity string) []suite.Request {
			return one(stage.Device(fmt.Sprintf(`device.capacity[%q].memory.compareTo(quantity(%q)) == 0`, stage.Driver, capacity)))
		}

		// Each of them publishes the total memory as its capacity, and consumes
		// a quarter of the counter.
		for i := range 2 {
			e.Start(ctx, fmt.Sprintf("large-%d", i), of("40Gi"))
		}
		e.AllScheduled(ctx, "large-0", "large-1")
		// It publishes an eighth of the memory as its capacity, and consumes
		// three quarters of the counter.
		e.Start(ctx, "small", of("5Gi"))
		e.Refused(ctx, "small", "it consumes more than is left, whatever its capacity is")
		e.Removed(ctx, "large-0")
		e.Scheduled(ctx, "small")
	},
}
