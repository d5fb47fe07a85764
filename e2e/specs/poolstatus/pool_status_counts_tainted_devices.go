// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolStatusCountsTaintedDevices publishes a device with a taint of each effect
// and one without a taint, and requests the status of the pool.
var poolStatusCountsTaintedDevices = suite.Spec{
	ID:          "pool-status-counts-tainted-devices",
	Description: "Devices with a taint of the effect NoSchedule or NoExecute are unavailable, and those with the effect None are available.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    slices.Concat(statusFeatures, []features.Feature{features.DeviceTaints}),
	Component:   env.ControllerManager,
	Needs:       simulatedNodes,
	Since:       "1.37", // Taints are not counted before.
	Requirements: []string{
		"5677-unavailable-by-taints",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		inventory := fixture.Devices("closed", "broken", "noted", "whole")
		for i, effect := range []resourceapi.DeviceTaintEffect{resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoExecute, resourceapi.DeviceTaintEffectNone} {
			inventory.Devices[i].Taints = []resourceapi.DeviceTaint{{Key: "draconform.dev/worn", Effect: effect}}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: node}, inventory)
		want := free(node, node, 4)
		want.available, want.unavailable = 2, 2
		newRequests(e).expectReport(ctx, "two of four devices have taints that keep pods away",
			resourcev1alpha3.ResourcePoolStatusRequestSpec{Driver: sim.Driver}, report{matching: 1, pools: []pool{want}})
	},
}
