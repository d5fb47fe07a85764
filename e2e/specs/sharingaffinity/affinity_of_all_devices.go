// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// affinityOfAllDevices publishes two devices, of which one is locked by a claim. Further claims
// request all devices, with the same value, with another one and without values.
var affinityOfAllDevices = suite.Spec{
	ID:           "affinity-of-all-devices",
	Description:  "A request for all devices is satisfied if its values fit each of them. If one of the devices is locked to another value, or the claim states none, it gets none of them.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     affinityFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"5981-missing-entry", "5981-other-values-apart", "5981-same-values-share"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices([]string{subnet}, "nic-0", "nic-1"))
		pods.CreateWithClaim(ctx, e, "holder", newClaim(fixture.AnyDevice(sim), inSubnet("a")))
		pods.WaitForScheduled(ctx, e, "holder")
		createForAll := func(pod string, entries ...entry) {
			claim := newClaim(fixture.AnyDevice(sim), entries...)
			claim.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
			pods.CreateWithClaim(ctx, e, pod, claim)
		}
		createForAll("b", inSubnet("b"))
		pods.WaitForPending(ctx, e, "one of the devices is locked to another value", "b")
		createForAll("none")
		pods.WaitForPending(ctx, e, "it states nothing and the devices declare a key", "none")
		createForAll("a", inSubnet("a"))
		gomega.Expect(pods.WaitForScheduled(ctx, e, "a")).To(gomega.HaveLen(2), "the claim should be allocated both devices, because none is locked to another value")
	},
}
