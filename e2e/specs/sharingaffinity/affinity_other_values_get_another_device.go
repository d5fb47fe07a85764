// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// affinityOtherValuesGetAnotherDevice creates claims with two values for any
// of two devices, then a claim with a third value and one without values. Then
// a device without keys is published.
var affinityOtherValuesGetAnotherDevice = suite.Spec{
	ID:          "affinity-other-values-get-another-device",
	Description: "Claims with different values get different devices. Claims without values get a device that declares no keys. A claim without such a device is pending.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-same-values-share",
		"5981-other-values-apart",
		"5981-lock-of-one-device",
		"5981-missing-entry",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices([]string{subnet}, "nic-0", "nic-1"))
		pods.CreateWithClaim(ctx, e, "a", newClaim(fixture.AnyDevice(sim), inSubnet("a")))
		first := pods.WaitForScheduled(ctx, e, "a")
		pods.CreateWithClaim(ctx, e, "b", newClaim(fixture.AnyDevice(sim), inSubnet("b")))
		second := pods.WaitForScheduled(ctx, e, "b")
		gomega.Expect(second).NotTo(gomega.Equal(first), "claims with different values should not share a device")

		pods.CreateWithClaim(ctx, e, "more-a", newClaim(fixture.AnyDevice(sim), inSubnet("a")))
		expectDevice(ctx, e, first[0].Device, "more-a", "the other one is locked to another value")
		pods.CreateWithClaim(ctx, e, "more-b", newClaim(fixture.AnyDevice(sim), inSubnet("b")))
		expectDevice(ctx, e, second[0].Device, "more-b", "the other one is locked to another value")
		pods.CreateWithClaim(ctx, e, "c", newClaim(fixture.AnyDevice(sim), inSubnet("c")))
		pods.CreateWithRequests(ctx, e, "none", fixture.AnyDevice(sim))
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"c":    "both devices are locked to other values",
			"none": "it states nothing and both devices declare a key",
		})

		sim.CreatePool(ctx, simulated.Pool{Name: "more", Node: sim.Names[0]}, fixture.SharedDevices(nil, "plain"))
		expectDevice(ctx, e, "plain", "none", "it declares nothing")
		expectDevice(ctx, e, "plain", "c", "it declares nothing")
	},
}
