// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintOnOneOfSeveralDevicesEvicts schedules pods whose claim has two requests, and pods
// with two claims, and taints the last device of some. Others get both devices tainted,
// and tolerate one of the taints for an hour.
var taintOnOneOfSeveralDevicesEvicts = suite.Spec{
	ID:           "taint-on-one-of-several-devices-evicts",
	Description:  "A pod is evicted if any of its devices has a taint of the effect NoExecute that the request for this device does not tolerate, also if it tolerates that of another device for a longer time.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-no-execute-evicts", "5055-tolerations-of-a-request"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		tolerant, hourly := tolerate(worn, noExecute.Effect), tolerate(worn, noExecute.Effect)
		hourly.TolerationSeconds = ptr.To[int64](3600)
		var names []string
		taints := map[string][]resourceapi.DeviceTaint{}
		for i := range 6 {
			names = append(names, fmt.Sprintf("card-%d", i), fmt.Sprintf("disk-%d", i))
			taints[names[2*i+1]] = []resourceapi.DeviceTaint{noExecute}
			if i >= 2 {
				taints[names[2*i]] = []resourceapi.DeviceTaint{noExecute}
			}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices(names...))

		pods.CreateWithClaim(ctx, e, "two-requests", claimForTwo(claimFor(sim, "card-0", tolerant), claimFor(sim, "disk-0")))
		pods.CreateWithClaims(ctx, e, "two-claims", claimFor(sim, "card-1", tolerant), claimFor(sim, "disk-1"))
		pods.CreateWithClaim(ctx, e, "hour-of-first-request", claimForTwo(claimFor(sim, "card-2", hourly), claimFor(sim, "disk-2")))
		pods.CreateWithClaim(ctx, e, "hour-of-last-request", claimForTwo(claimFor(sim, "card-3"), claimFor(sim, "disk-3", hourly)))
		pods.CreateWithClaims(ctx, e, "hour-of-first-claim", claimFor(sim, "card-4", hourly), claimFor(sim, "disk-4"))
		pods.CreateWithClaims(ctx, e, "hour-of-last-claim", claimFor(sim, "card-5"), claimFor(sim, "disk-5", hourly))
		all := []string{"two-requests", "two-claims", "hour-of-first-request", "hour-of-last-request", "hour-of-first-claim", "hour-of-last-claim"}
		pods.WaitForScheduled(ctx, e, all...)

		sim.SetTaints(ctx, sim.Names[0], taints)
		pods.WaitForDisrupted(ctx, e, "the last of its devices has a taint that is not tolerated", all[:2]...)
		pods.WaitForDisrupted(ctx, e, "one of its devices has a taint that is not tolerated, although that of the other one is tolerated for an hour", all[2:]...)
	},
}

// claimForTwo returns a claim with the only requests of two claims.
func claimForTwo(card, disk resourceapi.DeviceClaim) resourceapi.DeviceClaim {
	card.Requests = append(card.Requests, disk.Requests...)
	card.Requests[0].Name, card.Requests[1].Name = "card", "disk"
	return card
}
