// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintKeepsNextSharesAway taints a device of which a claim has a share, and requests further
// shares with and without a toleration. Then it removes the taint.
var taintKeepsNextSharesAway = suite.Spec{
	ID:           "taint-keeps-next-shares-away",
	Description:  "A device that gets a taint while claims share it has shares only for further claims that tolerate the taint, until the taint is removed. What is allocated already stays allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append(slices.Clone(taintFeatures), features.SharedDevices),
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-no-schedule", "5055-taints-come-and-go"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		pool := sim.Names[0]
		sim.CreatePool(ctx, simulated.Pool{Node: pool}, fixture.SharedDevices(nil, "nic"))
		createPodFor(ctx, e, sim, "holder", "nic")
		pods.WaitForScheduled(ctx, e, "holder")

		sim.SetTaints(ctx, pool, map[string][]resourceapi.DeviceTaint{"nic": {noSchedule}})
		waiting := waitForClosed(ctx, e, sim, 0, "nic", "the device was tainted before the pod was created")
		expect.AllocatedFor(ctx, e, "holder", "its share was allocated before the taint", "device")
		createPodFor(ctx, e, sim, "tolerant", "nic", tolerate(worn, noSchedule.Effect))
		pods.WaitForScheduled(ctx, e, "tolerant")
		pods.ExpectNotBound(ctx, e, waiting, "it does not tolerate the taint of its device")

		sim.SetTaints(ctx, pool, map[string][]resourceapi.DeviceTaint{"nic": nil})
		pods.WaitForScheduled(ctx, e, waiting)
	},
}
