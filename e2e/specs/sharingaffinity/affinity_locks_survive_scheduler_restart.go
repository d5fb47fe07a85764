// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// affinityLocksSurviveSchedulerRestart allocates devices to a claim with a
// value and to one without, lets the devices declare a key, and restarts the
// scheduler. Then further claims request the devices.
var affinityLocksSurviveSchedulerRestart = suite.Spec{
	ID:          "affinity-locks-survive-scheduler-restart",
	Description: "After a restart, the scheduler derives the locks of devices from their claims, and knows which devices have claims without values.",
	Profile:     profile,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes, env.NeedsScheduler},
	Requirements: []string{
		"5981-restart-reconstructs",
		"5981-unknown-keeps-out",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices(nil, "locked", "unknown", "clean"))
		pods.CreateWithClaim(ctx, e, "locks", newClaim(fixture.RequestFor(sim, "locked"), inSubnet("a")))
		pods.WaitForScheduled(ctx, e, "locks")
		pods.CreateWithRequests(ctx, e, "silent", fixture.RequestFor(sim, "unknown"))
		pods.WaitForScheduled(ctx, e, "silent")
		republish(ctx, e, sim, fixture.SharedDevices([]string{subnet}, "locked", "unknown", "clean"))

		components.RestartScheduler(ctx, e)
		// These claims come before any claim that joins the devices. The
		// scheduler could learn lost values from the latter.
		pods.CreateWithClaim(ctx, e, "other", newClaim(fixture.RequestFor(sim, "locked"), inSubnet("b")))
		pods.CreateWithClaim(ctx, e, "joins-unknown", newClaim(fixture.RequestFor(sim, "unknown"), inSubnet("a")))
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"other":         "the device is locked to another value",
			"joins-unknown": "the claim on the device states nothing",
		})
		pods.CreateWithClaim(ctx, e, "joins", newClaim(fixture.RequestFor(sim, "locked"), inSubnet("a")))
		pods.CreateWithClaim(ctx, e, "takes", newClaim(fixture.RequestFor(sim, "clean"), inSubnet("b")))
		pods.WaitForScheduled(ctx, e, "joins", "takes")
	},
}
