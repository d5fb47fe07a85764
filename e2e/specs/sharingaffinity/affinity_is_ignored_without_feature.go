// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// affinityIsIgnoredWithoutFeature publishes a device with a key. Claims with
// different values and one without values request it.
var affinityIsIgnoredWithoutFeature = suite.Spec{
	ID:             "affinity-is-ignored-without-feature",
	Description:    "A scheduler without sharing affinity lets claims share a device, whatever values they have and keys the device declares.",
	Profile:        profile,
	Features:       []features.Feature{features.Core, features.SharedDevices},
	AbsentFeatures: []features.Feature{features.SharingAffinity},
	Component:      env.Scheduler,
	Needs:          []env.Need{env.NeedsSimulatedNodes},
	Requirements:   []string{"5981-off-ignores-field"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices([]string{subnet}, "nic"))
		pods.CreateWithClaim(ctx, e, "a", newClaim(fixture.AnyDevice(sim), inSubnet("a")))
		pods.CreateWithClaim(ctx, e, "b", newClaim(fixture.AnyDevice(sim), inSubnet("b")))
		pods.CreateWithRequests(ctx, e, "none", fixture.AnyDevice(sim))
		pods.WaitForScheduled(ctx, e, "a", "b", "none")
	},
}
