// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sliceIsForAllNodes publishes a slice with two devices for all nodes. Each is
// allocated for a pod on another node. After that, a pod on the second node
// requests the device of the first one, and another shares its claim.
var sliceIsForAllNodes = suite.Spec{
	ID:           "slice-is-for-all-nodes",
	Description:  "Devices of a ResourceSlice for all nodes are allocated for pods on any node, only once for all nodes together. Pods on any node can use the claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-slice-of-all-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		sim.CreatePool(ctx, simulated.Pool{Name: "fabric"}, fixture.Devices("card", "disk"))
		createPodOn(ctx, e, sim, 0, "card", "card")
		createPodOn(ctx, e, sim, 1, "disk", "disk")
		pods.WaitForScheduled(ctx, e, "card", "disk")

		createPodOn(ctx, e, sim, 1, "late", "card")
		pods.WaitForUnschedulable(ctx, e, "late", "the device is allocated for a pod on another node")
		pods.CreateUsingClaims(ctx, e, "user", pods.Options{Node: sim.Names[1]}, "card")
		pods.WaitForScheduled(ctx, e, "user")
	},
}
