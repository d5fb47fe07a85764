// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// churnLeavesNothingPrepared creates and deletes four pods on one node three
// times. In the last round they are deleted without waiting until they run.
// Each claim that was prepared must be unprepared.
var churnLeavesNothingPrepared = suite.Spec{
	ID:           "churn-leaves-nothing-prepared",
	Description:  "Of many pods that are created and deleted on one node, some before they run, no claim stays prepared.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Devices:      4,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsClaimsInUse},
	Requirements: []string{"4381-unprepared-after-last-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		const rounds, podCount = 3, 4
		for round := range rounds {
			var started []string
			for i := range podCount {
				started = append(started, device.start(ctx, e, fmt.Sprintf("claim-%d-%d", round, i)))
			}
			// The pods of the last round are deleted in whatever state they
			// are.
			for _, pod := range started {
				if round < rounds-1 {
					pods.WaitForRunning(ctx, e, pod)
				}
			}
			pods.Delete(ctx, e, started...)
			for i := range podCount {
				claim := fmt.Sprintf("claim-%d-%d", round, i)
				drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, claim)
				drivers.WaitForUnprepareCall(ctx, e, device.Driver, device.node, claim)
			}
		}
	},
}
