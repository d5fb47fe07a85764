// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionPoolsAreApart publishes the same GPU in three pools on two nodes.
// The whole GPU of each pool is requested, and a second device of two pools
// whose GPU is already allocated.
var partitionPoolsAreApart = suite.Spec{
	ID:          "partition-pools-are-apart",
	Description: "Counter sets with the same name in different pools are independent, on one node and on several.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"4815-pools-apart",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		first, second := sim.Names[0], sim.Names[1]
		poolOf := func(name, node string) simulated.Pool { return simulated.Pool{Name: node + "-" + name, Node: node} }
		for _, pool := range []simulated.Pool{poolOf("a", first), poolOf("b", first), poolOf("a", second)} {
			inventory := a100s(pool.Name, 1)
			for _, device := range inventory.Devices {
				device.Attributes["pool"] = resourceapi.DeviceAttribute{StringValue: &pool.Name}
			}
			sim.CreatePool(ctx, pool, inventory)
		}
		requestFrom := func(pool simulated.Pool, place string) []devices.Request {
			device := deviceAt(sim, place)
			device.Selector += subject.Selector(fmt.Sprintf(" && device.attributes[%q].pool == %q", sim.Driver, pool.Name))
			return fixture.One(device)
		}
		pods.CreateWithRequests(ctx, e, "first-a", requestFrom(poolOf("a", first), "whole"))
		pods.WaitForScheduled(ctx, e, "first-a")
		pods.CreateWithRequests(ctx, e, "part", requestFrom(poolOf("a", first), "1g.5gb@0"))
		pods.WaitForUnschedulable(ctx, e, "part", "its own pool is used up, and only others are free")
		pods.CreateWithRequests(ctx, e, "first-b", requestFrom(poolOf("b", first), "whole"))
		pods.CreateWithRequests(ctx, e, "second-a", requestFrom(poolOf("a", second), "whole"))
		pods.WaitForScheduled(ctx, e, "first-b", "second-a")
		pods.CreateWithRequests(ctx, e, "again", requestFrom(poolOf("b", first), "whole"))
		pods.WaitForUnschedulable(ctx, e, "again", "the only device of its pool is allocated")
	},
}
