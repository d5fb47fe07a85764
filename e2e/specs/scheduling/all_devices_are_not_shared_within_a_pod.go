// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// allDevicesAreNotSharedWithinAPod publishes two cards and a disk on each of two nodes.
// Pods request all cards of a node, and with other requests or claims one of these cards
// or any device.
var allDevicesAreNotSharedWithinAPod = suite.Spec{
	ID:           "all-devices-are-not-shared-within-a-pod",
	Description:  "A request for all devices is not allocated if another request or claim of the pod needs one of them. A request for any device gets another one.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"4381-scheduling-all-devices-within-a-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for _, node := range sim.Names {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("card-0", "card-1", "disk"))
		}
		all := devices.Request{Name: "all", Device: fixture.SubRequestFor(sim, "card").Device}
		one := devices.Request{Name: "one", Device: fixture.RequestFor(sim, "card-0")[0].Device}
		again := devices.Request{Name: "all-again", Device: all.Device}
		for pod, requests := range map[string][]devices.Request{"before": {one, all}, "after": {all, one}, "again": {all, again}} {
			pods.CreateWithClaim(ctx, e, pod, claimForAll(requests...))
		}
		pods.CreateWithClaims(ctx, e, "two-claims", claimForAll(one), claimForAll(all))
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"before":     "its first request needs one of all cards",
			"after":      "its second request needs one of all cards",
			"again":      "both of its requests are for all cards",
			"two-claims": "its first claim needs one of all cards",
		})

		anyDevice := devices.Request{Name: "any", Device: sim.Device("")}
		pods.CreateWithClaim(ctx, e, "any-device", claimForAll(anyDevice, all))
		pods.CreateWithClaims(ctx, e, "any-claim", claimForAll(anyDevice), claimForAll(all))
		expect.ScheduledFor(ctx, e, "any-device", "it requests any device and all cards", "any", "all", "all")
		pods.WaitForScheduled(ctx, e, "any-claim")
	},
}

// claimForAll returns a claim in which the requests whose names begin with all are for
// all devices instead of a number.
func claimForAll(requests ...devices.Request) resourceapi.DeviceClaim {
	claim := devices.NewDeviceClaim(requests)
	for i := range claim.Requests {
		if strings.HasPrefix(claim.Requests[i].Name, "all") {
			claim.Requests[i].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		}
	}
	return claim
}
