// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// slicesAreSelectedByPool publishes two pools of one node, and lists slices by
// their pool, alone and together with their driver.
var slicesAreSelectedByPool = suite.Spec{
	ID:           "slices-are-selected-by-pool",
	Description:  "ResourceSlices can be listed by the field selector spec.pool.name, also together with others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.37", // The field selector is new.
	Requirements: []string{"4381-slices-by-pool"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		// Other drivers have no pools with such names.
		first, second := e.UniqueName()+"-first", e.UniqueName()+"-second"
		sim.CreatePool(ctx, simulated.Pool{Name: first, Node: sim.Names[0]}, fixture.Devices("a"))
		sim.CreatePool(ctx, simulated.Pool{Name: second, Node: sim.Names[0]}, fixture.Devices("b"))

		driver, pool := resourceapi.ResourceSliceSelectorDriver+"=", resourceapi.ResourceSliceSelectorPoolName+"="
		expectSelected(ctx, e, sim, pool+first, "a")
		expectSelected(ctx, e, sim, pool+second, "b")
		expectSelected(ctx, e, sim, pool+e.UniqueName())
		expectSelected(ctx, e, sim, driver+sim.Driver+","+pool+second, "b")
		expectSelected(ctx, e, sim, driver+sim.OtherDriver()+","+pool+second)
	},
}
