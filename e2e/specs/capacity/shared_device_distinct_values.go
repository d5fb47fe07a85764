// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceDistinctValues publishes two devices of one group and one
// without a group. A claim requests two devices of different groups. Then a
// device of another group is published.
var sharedDeviceDistinctValues = suite.Spec{
	ID:          "shared-device-distinct-values",
	Description: "With distinctAttribute, two requests get devices with different values of the attribute, and no device without it.",
	Profile:     profile,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Since:       "1.35", // 1.34 treats the values of two devices as distinct even if they are equal.
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-distinct-values",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		pool := func(name string) simulated.Pool { return simulated.Pool{Name: name, Node: sim.Names[0]} }
		sim.CreatePool(ctx, pool("none"), fixture.SharedDevices(nil, "plain"))
		sim.CreatePool(ctx, pool("first"), devicesOfGroup("x", "x-0", "x-1"))
		pods.CreateWithRequests(ctx, e, "groups", anyDevices(sim, "a", "b"), resourceapi.DeviceConstraint{DistinctAttribute: ptr.To(qualifiedName(sim, "group"))})
		pods.WaitForUnschedulable(ctx, e, "groups", "two of the devices have the same group and the other one has none")
		sim.CreatePool(ctx, pool("second"), devicesOfGroup("y", "y-0"))
		waitForShares(ctx, e, "groups")
	},
}

// devicesOfGroup returns shared devices with these names and the given value of
// the attribute group.
func devicesOfGroup(group string, names ...string) *simulated.Inventory {
	inventory := fixture.SharedDevices(nil, names...)
	for _, device := range inventory.Devices {
		device.Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &group}
	}
	return inventory
}
