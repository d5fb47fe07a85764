// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// relabelledNodeLosesDevices removes the label by which a slice selects the only
// node with its devices, of which one is allocated and one is free. Another pod
// waits for the allocated one. A scheduler may observe the change a little later
// than the pods that are created afterwards.
var relabelledNodeLosesDevices = suite.Spec{
	ID:           "relabelled-node-loses-devices",
	Description:  "When a node loses the label by which a ResourceSlice selects it, devices of the slice are not allocated for new pods on the node. What is allocated stays allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-unlabelled-node-loses-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1, func(_ int, node *corev1.Node) { node.Labels[zone] = "a" })
		sim.CreatePool(ctx, simulated.Pool{Name: "rack", Selector: inZone("a")}, fixture.Devices("card", "disk"))
		createPodFor(ctx, e, sim, "holder", "card")
		pods.WaitForScheduled(ctx, e, "holder")

		sim.RemoveLabel(ctx, sim.Names[0], zone)
		expect.PendingOnceSeen(ctx, e, "next", "the slice of its device does not select the node any more", func(pod string) {
			createPodFor(ctx, e, sim, pod, "disk")
		})
		expect.AllocatedFor(ctx, e, "holder", "its device was allocated before the node lost the label", "device")
	},
}
