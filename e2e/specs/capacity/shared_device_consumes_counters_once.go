package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

var sharedDeviceConsumesCountersOnce = suite.Spec{
	ID:          "shared-device-consumes-counters-once",
	Description: "A partition that claims share consumes the counters of its parent with the first share, nothing more with further shares, and releases them with the last one.",
	Profile:     profile,
	Features:    append([]features.Feature{features.Partitions}, sharedDeviceFeatures...),
	Component:   env.Scheduler,
	Since:       "1.36", // 1.34 does not count the counters of allocated shares.
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-counters-once",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "shared_partition.yaml"))
		users := []string{"a", "b", "c"}
		for _, user := range users {
			pods.CreateWithRequests(ctx, e, user, fixture.RequestFor(sim, "shared"))
			waitForShares(ctx, e, user)
		}
		pods.CreateWithRequests(ctx, e, "quarter", fixture.RequestFor(sim, "quarter"))
		pods.WaitForScheduled(ctx, e, "quarter")
		pods.DeleteWithClaim(ctx, e, "quarter")

		for _, user := range users[1:] {
			pods.DeleteWithClaim(ctx, e, user)
		}
		pods.CreateWithRequests(ctx, e, "half", fixture.RequestFor(sim, "half"))
		pods.WaitForUnschedulable(ctx, e, "half", "claim a still has a share of a partition with 3Gi of 4Gi")
		pods.DeleteWithClaim(ctx, e, "a")
		pods.WaitForScheduled(ctx, e, "half")
	},
}
