// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// affinityBacktrackingUnlocks creates claims with one request for any of two
// devices and one for a certain device, with different values. Another claim
// with a request that no device satisfies is unschedulable, and its other
// device is requested with another value.
var affinityBacktrackingUnlocks = suite.Spec{
	ID:          "affinity-backtracking-unlocks",
	Description: "A device that the scheduler tries for a request and does not allocate is not locked, neither for other requests of the claim nor for other claims.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-tried-is-not-locked",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices([]string{subnet}, "one", "two"))
		// For one of the two claims, the device that the scheduler tries first
		// is the wrong one.
		for device, other := range map[string]string{"one": "two", "two": "one"} {
			pod := "needs-" + device
			requests := []devices.Request{withName("first", fixture.AnyDevice(sim)), withName("second", fixture.RequestFor(sim, device))}
			pods.CreateWithClaim(ctx, e, pod, newClaim(requests, inSubnet("a", "first"), inSubnet("b", "second")))
			got := pods.WaitForScheduled(ctx, e, pod)
			gomega.Expect(got).To(gomega.HaveLen(2), "pod %s asks for two devices", pod)
			// The API states no order of the results of an allocation.
			first := claims.GetDevicesForRequest(ctx, e, pod, "first")
			gomega.Expect(first).To(gomega.ConsistOf(gomega.HaveField("Device", other)), "the first request should yield to the second one, which needs device %s for another value", device)
			pods.DeleteWithClaim(ctx, e, pod)
		}

		pods.CreateWithClaim(ctx, e, "half", newClaim([]devices.Request{withName("first", fixture.RequestFor(sim, "one")), withName("second", fixture.RequestFor(sim, "three"))}, inSubnet("a")))
		pods.WaitForUnschedulable(ctx, e, "half", "there is no third device")
		pods.CreateWithClaim(ctx, e, "other", newClaim(fixture.RequestFor(sim, "one"), inSubnet("b")))
		pods.WaitForScheduled(ctx, e, "other")
	},
}
