// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionRejectedDevicesConsumeNothing publishes a counter that suffices for one of three
// devices, on each of two nodes. The first two devices, or the last two, have a taint. A pod
// on each node requests any device.
var partitionRejectedDevicesConsumeNothing = suite.Spec{
	ID:          "partition-rejected-devices-consume-nothing",
	Description: "Devices that the scheduler rejects because of their taints consume no counters: another device with the same counters is allocated.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    append([]features.Feature{features.DeviceTaints}, partitionFeatures...),
	Component:   env.Scheduler,
	// Earlier schedulers do not return the counters of such a device while they search.
	Since:        "1.36",
	Needs:        simulatedNodes,
	Requirements: []string{"4815-rejected-devices-consume-nothing"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		taint := resourceapi.DeviceTaint{Key: "draconform.dev/worn", Effect: resourceapi.DeviceTaintEffectNoSchedule}
		for i, tainted := range [][]int{{0, 1}, {1, 2}} {
			inventory := unitDevices(1, 3)
			for _, j := range tainted {
				inventory.Devices[j].Taints = []resourceapi.DeviceTaint{taint}
			}
			sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[i]}, inventory)
		}
		for _, node := range sim.Names {
			pods.CreateWithClaimOnNode(ctx, e, node, node, fixture.ClaimOfClass(sim.Class, 1))
		}
		pods.WaitForScheduled(ctx, e, sim.Names...)
	},
}
