// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// affinityRequestsApart creates claims with two requests for two devices, with
// entries for one request or for all. Further claims for the locked devices
// have the same values, or others.
var affinityRequestsApart = suite.Spec{
	ID:          "affinity-requests-apart",
	Description: "Each request has the values of the entries that name it or that name no request, so that two requests of a claim can lock two devices to different values.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-requests-apart",
		"5981-entry-for-all-requests",
		"5981-one-entry-per-request",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices([]string{subnet}, "one", "two", "three", "four", "clean"))
		pair := func(first, second string) []devices.Request {
			return []devices.Request{withName("first", fixture.RequestFor(sim, first)), withName("second", fixture.RequestFor(sim, second))}
		}
		pods.CreateWithClaim(ctx, e, "each", newClaim(pair("one", "two"), inSubnet("a", "first"), inSubnet("b", "second")))
		pods.WaitForScheduled(ctx, e, "each")
		pods.CreateWithClaim(ctx, e, "all", newClaim(pair("three", "four"), inSubnet("c")))
		pods.WaitForScheduled(ctx, e, "all")

		for device, value := range map[string]string{"one": "a", "two": "b", "three": "c", "four": "c"} {
			pods.CreateWithClaim(ctx, e, device+"-same", newClaim(fixture.RequestFor(sim, device), inSubnet(value)))
			pods.WaitForScheduled(ctx, e, device+"-same")
		}
		pods.CreateWithClaim(ctx, e, "one-b", newClaim(fixture.RequestFor(sim, "one"), inSubnet("b")))
		pods.CreateWithClaim(ctx, e, "two-a", newClaim(fixture.RequestFor(sim, "two"), inSubnet("a")))
		pods.CreateWithClaim(ctx, e, "four-a", newClaim(fixture.RequestFor(sim, "four"), inSubnet("a")))
		pods.CreateWithClaim(ctx, e, "twice", newClaim(fixture.RequestFor(sim, "clean"), inSubnet("a"), inSubnet("a", "device")))
		pods.CreateWithClaim(ctx, e, "half", newClaim(pair("one", "clean"), inSubnet("a", "first")))
		pods.CreateWithClaim(ctx, e, "swapped", newClaim(pair("one", "two"), inSubnet("b", "first"), inSubnet("a", "second")))
		pods.CreateWithClaim(ctx, e, "itself", newClaim(pair("clean", "clean"), inSubnet("a", "first"), inSubnet("b", "second")))
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"one-b": "device one is locked to the value of the request that has it", "two-a": "device two is locked to the value of the request that has it",
			"four-a": "device four is locked to the value of all requests",
			"twice":  "one entry is for its request and one for all", "half": "its second request states nothing",
			"swapped": "each of its requests states the value of the other device", "itself": "its requests state different values for one device",
		})
	},
}
