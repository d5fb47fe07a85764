// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// multiHostDeviceMoves publishes three devices of the first of two nodes in one slice, and
// updates it so that they are on the second node, as devices that are switched between hosts. One
// of them is allocated before, the others are requested afterwards on both nodes.
var multiHostDeviceMoves = suite.Spec{
	ID:           "multi-host-device-moves",
	Description:  "When the node of a device of a ResourceSlice with perDeviceNodeSelection changes, the device is allocated on the new node and not on the former one. A claim that has such a device keeps it, and its allocation.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-device-on-its-node", "4815-allocation-selects-the-devices-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		nodes := sim.Names
		on := func(node string) *simulated.Inventory {
			inventory := fixture.Devices("card", "disk", "tape")
			for i := range inventory.Devices {
				inventory.Devices[i].NodeName = &node
			}
			return inventory
		}
		request := func(device string) resourceapi.DeviceClaim {
			return devices.NewDeviceClaim(fixture.RequestFor(sim, device))
		}
		sim.CreatePool(ctx, simulated.Pool{Name: "pool"}, on(nodes[0]))
		pods.CreateWithClaim(ctx, e, "card", request("card"))
		pods.WaitForScheduled(ctx, e, "card")

		sim.UpdateSlice(ctx, "pool", "card", 2, on(nodes[1]).Devices)
		expect.PendingOnceSeen(ctx, e, "former", "its device is on the other node now", func(pod string) {
			pods.CreateWithClaimOnNode(ctx, e, pod, nodes[0], request("disk"))
		})
		pods.CreateWithClaimOnNode(ctx, e, "tape", nodes[1], request("tape"))
		pods.WaitForScheduled(ctx, e, "tape")
		gomega.Expect(claims.GetNodesOfAllocation(ctx, e, "tape", nodes)).To(gomega.Equal(nodes[1:]), "the allocation of claim tape should select the node where its device is now")
		pods.CreateWithClaimOnNode(ctx, e, "second", nodes[1], request("card"))
		pods.WaitForUnschedulable(ctx, e, "second", "claim card has had its device since before the device moved")
		gomega.Expect(claims.GetNodesOfAllocation(ctx, e, "card", nodes)).To(gomega.Equal(nodes[:1]), "the allocation of claim card should stay as it was")
	},
}
