// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// distinctAttributeComparesTypes publishes pairs of devices with values of an attribute that
// are the same, differ, or differ in type only. A claim with a constraint requests both
// devices of a pair.
var distinctAttributeComparesTypes = suite.Spec{
	ID:           "distinct-attribute-compares-types",
	Description:  "distinctAttribute accepts values of any type that differ in value or type, and rejects equal values of each type.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Since:        "1.35", // 1.34 treats the values of two devices as distinct even if they are equal.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-distinct-values"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := &simulated.Inventory{}
		all := fixture.ReadList[fixture.Pair](data, "distinct_pairs.yaml")
		for _, p := range all {
			inventory.Devices = append(inventory.Devices, p.Inventory().Devices...)
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		var distinct []string
		refused := map[string]string{}
		for _, p := range all {
			requests := []devices.Request{
				{Name: "first", Device: fixture.RequestFor(sim, p.Name+"-0")[0].Device},
				{Name: "second", Device: fixture.RequestFor(sim, p.Name+"-1")[0].Device},
			}
			pods.CreateWithRequests(ctx, e, p.Name, requests, resourceapi.DeviceConstraint{DistinctAttribute: ptr.To(qualifiedName(sim, "group"))})
			if p.Refused == "" {
				distinct = append(distinct, p.Name)
			} else {
				refused[p.Name] = p.Refused
			}
		}
		pods.WaitForScheduled(ctx, e, distinct...)
		pods.WaitForEachUnschedulable(ctx, e, refused)
	},
}
