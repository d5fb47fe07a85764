// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// distinctValuesAndEqualValues publishes pairs of devices that have the same board and
// different groups, or only one of these. Claims for a pair have a constraint of each kind, in
// either order. Another claim is for any of three devices and for a certain one, of which the
// one that is tried first for any has the group that the other needs.
var distinctValuesAndEqualValues = suite.Spec{
	ID:           "distinct-values-and-equal-values",
	Description:  "A claim can have constraints with distinctAttribute and with matchAttribute, which apply together. The value of a device that is tried and not taken in the end does not count.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Since:        "1.35", // 1.34 treats the values of two devices as distinct even if they are equal.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-all-constraints", "4381-scheduling-any-combination", "5075-distinct-values"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := &simulated.Inventory{}
		for _, pair := range []struct {
			kind           string
			boards, groups [2]string
		}{
			{"fits", [2]string{"a", "a"}, [2]string{"x", "y"}},
			{"fits-too", [2]string{"d", "d"}, [2]string{"x", "y"}},
			{"boards", [2]string{"b", "c"}, [2]string{"x", "y"}},
			{"groups", [2]string{"a", "a"}, [2]string{"x", "x"}},
		} {
			for i := range 2 {
				inventory.Devices = append(inventory.Devices, onBoard(fmt.Sprintf("%s-%d", pair.kind, i), pair.boards[i], pair.groups[i]))
			}
		}
		for i, group := range []string{"x", "y", "x"} {
			inventory.Devices = append(inventory.Devices, onBoard(fmt.Sprintf("yields-%d", i), "a", group))
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		board := resourceapi.DeviceConstraint{MatchAttribute: ptr.To(qualifiedName(sim, "board"))}
		group := resourceapi.DeviceConstraint{DistinctAttribute: ptr.To(qualifiedName(sim, "group"))}
		fixture.CreatePair(ctx, e, sim, "fits", board, group)
		fixture.CreatePair(ctx, e, sim, "fits-too", group, board)
		fixture.CreatePair(ctx, e, sim, "boards", group, board)
		fixture.CreatePair(ctx, e, sim, "groups", board, group)
		pods.CreateWithRequests(ctx, e, "yields", []devices.Request{
			{Name: "any", Device: fixture.SubRequestFor(sim, "yields").Device}, {Name: "last", Device: fixture.RequestFor(sim, "yields-2")[0].Device},
		}, group)
		pods.WaitForScheduled(ctx, e, "fits", "fits-too", "yields")
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"boards": "its devices have different boards", "groups": "its devices have the same group",
		})
	},
}

// onBoard returns a device with a board and a group.
func onBoard(name, board, group string) resourceapi.Device {
	device := fixture.Devices(name).Devices[0]
	device.Attributes["board"] = resourceapi.DeviceAttribute{StringValue: &board}
	device.Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &group}
	return device
}
