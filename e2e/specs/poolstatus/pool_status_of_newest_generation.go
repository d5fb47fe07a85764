// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolStatusOfNewestGeneration publishes two generations of a pool with
// different devices, and requests the status of the pool.
var poolStatusOfNewestGeneration = suite.Spec{
	ID:          "pool-status-of-newest-generation",
	Description: "The status of a pool is that of its newest generation. Slices of older generations that still exist do not count.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    statusFeatures,
	Component:   env.ControllerManager,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5677-newest-generation",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		of := func(generation int64, names ...string) resourceapi.ResourceSliceSpec {
			return resourceapi.ResourceSliceSpec{
				Pool: resourceapi.ResourcePool{Name: node, Generation: generation}, NodeName: &node, Devices: fixture.Devices(names...).Devices,
			}
		}
		sim.CreateSlices(ctx, of(1, "a", "b"), of(1, "c"))
		sim.CreateSlices(ctx, of(2, "d"))
		want := free(node, node, 1)
		want.generation = 2
		newRequests(e).expectReport(ctx, "the newest generation has one device",
			resourcev1alpha3.ResourcePoolStatusRequestSpec{Driver: sim.Driver}, report{matching: 1, pools: []pool{want}})
	},
}
