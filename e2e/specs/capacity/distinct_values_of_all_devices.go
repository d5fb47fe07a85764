// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// distinctValuesOfAllDevices publishes two devices on each of two nodes, with different groups
// and with the same group. On each node, a pod requests all devices.
var distinctValuesOfAllDevices = suite.Spec{
	ID:           "distinct-values-of-all-devices",
	Description:  "distinctAttribute applies to each device of a request for all devices. If two of them have the same value, none are allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Since:        "1.35", // 1.34 treats the values of two devices as distinct even if they are equal.
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"4381-scheduling-constraint-on-each-device", "5075-distinct-values"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for i, groups := range [][]string{{"a", "b"}, {"a", "a"}} {
			inventory := fixture.Devices("first", "second")
			for j := range inventory.Devices {
				inventory.Devices[j].Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &groups[j]}
			}
			sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[i]}, inventory)
		}
		all := devices.NewDeviceClaim(fixture.AnyDevice(sim), resourceapi.DeviceConstraint{DistinctAttribute: ptr.To(qualifiedName(sim, "group"))})
		all.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		pods.CreateWithClaimOnNode(ctx, e, "unlike", sim.Names[0], all)
		pods.CreateWithClaimOnNode(ctx, e, "alike", sim.Names[1], all)
		gomega.Expect(pods.WaitForScheduled(ctx, e, "unlike")).To(gomega.HaveLen(2), "the claim should be allocated all devices of its node")
		pods.WaitForPending(ctx, e, "the devices of its node have the same group", "alike")
	},
}
