// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"

	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolStatusSelectsPools publishes pools on two nodes and one for all nodes, and
// requests the status of all of them, of one by its name, and of at most two.
var poolStatusSelectsPools = suite.Spec{
	ID:          "pool-status-selects-pools",
	Description: "A request is answered with the pools of its driver, or with the one that it names, sorted by name and up to its limit.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    statusFeatures,
	Component:   env.ControllerManager,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5677-driver", "5677-pool-name", "5677-limit", "5677-order",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		first, second := sim.Names[0], sim.Names[1]
		sim.CreatePool(ctx, simulated.Pool{Name: "c", Node: second}, fixture.Devices("c-0", "c-1", "c-2"))
		sim.CreatePool(ctx, simulated.Pool{Name: "b", Node: first}, fixture.Devices("b-0", "b-1"))
		sim.CreatePool(ctx, simulated.Pool{Name: "a"}, fixture.Devices("a-0"))
		a, b, c := free("a", "", 1), free("b", first, 2), free("c", second, 3)

		all := newRequests(e)
		of := func(change func(*resourcev1alpha3.ResourcePoolStatusRequestSpec)) resourcev1alpha3.ResourcePoolStatusRequestSpec {
			spec := resourcev1alpha3.ResourcePoolStatusRequestSpec{Driver: sim.Driver}
			change(&spec)
			return spec
		}
		all.expectReport(ctx, "the driver has three pools",
			of(func(*resourcev1alpha3.ResourcePoolStatusRequestSpec) {}), report{matching: 3, pools: []pool{a, b, c}})
		all.expectReport(ctx, "one of them is named",
			of(func(s *resourcev1alpha3.ResourcePoolStatusRequestSpec) { s.PoolName = ptr.To("b") }), report{matching: 1, pools: []pool{b}})
		all.expectReport(ctx, "at most two of them are requested",
			of(func(s *resourcev1alpha3.ResourcePoolStatusRequestSpec) { s.Limit = ptr.To[int32](2) }), report{matching: 3, pools: []pool{a, b}})
		all.expectReport(ctx, "another driver has no pools",
			of(func(s *resourcev1alpha3.ResourcePoolStatusRequestSpec) { s.Driver = sim.OtherDriver() }), report{})
		all.expectReport(ctx, "no pool has the name",
			of(func(s *resourcev1alpha3.ResourcePoolStatusRequestSpec) { s.PoolName = ptr.To("d") }), report{})
	},
}

// free returns the status of a pool of one slice without allocated devices.
func free(name, node string, total int32) pool {
	return pool{name: name, node: node, generation: 1, slices: 1, total: total, available: total}
}
