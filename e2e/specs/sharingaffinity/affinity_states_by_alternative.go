// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// affinityStatesByAlternative locks one of two devices. Claims with a list of
// both devices have a value for each subrequest, or for the request. Further
// claims show which value the second device is locked to.
var affinityStatesByAlternative = suite.Spec{
	ID:          "affinity-states-by-alternative",
	Description: "A subrequest has the values of the entry that names it or its request, and locks its device to these values only.",
	Profile:     profile,
	Features:    append([]features.Feature{features.PrioritizedList}, affinityFeatures...),
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-values-of-alternatives",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices([]string{subnet}, "fast", "slow"))
		pods.CreateWithClaim(ctx, e, "locks", newClaim(fixture.RequestFor(sim, "fast"), inSubnet("c")))
		pods.WaitForScheduled(ctx, e, "locks")
		either := []devices.Request{fixture.FirstAvailable("list", fixture.SubRequestFor(sim, "fast"), fixture.SubRequestFor(sim, "slow"))}

		pods.CreateWithClaim(ctx, e, "each", newClaim(either, inSubnet("a", "list/fast"), inSubnet("b", "list/slow")))
		expect.ScheduledFor(ctx, e, "each", "the fast device is locked to another value than that of the first alternative", "list/slow")
		pods.CreateWithClaim(ctx, e, "joins", newClaim(fixture.RequestFor(sim, "slow"), inSubnet("b")))
		pods.WaitForScheduled(ctx, e, "joins")
		pods.CreateWithClaim(ctx, e, "both", newClaim(either, inSubnet("b", "list")))
		expect.ScheduledFor(ctx, e, "both", "the fast device is locked to another value than that of the request", "list/slow")

		pods.CreateWithClaim(ctx, e, "other", newClaim(fixture.RequestFor(sim, "slow"), inSubnet("a")))
		pods.CreateWithClaim(ctx, e, "twice", newClaim(either, inSubnet("b", "list"), inSubnet("b", "list/slow")))
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"other": "the device is locked to the value of the alternative that has it",
			"twice": "the fast device is locked to another value, and one entry is for the slow one and one for its request",
		})
	},
}
