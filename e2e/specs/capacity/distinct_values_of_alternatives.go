// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// distinctValuesOfAlternatives publishes two devices of one group and one of another. The first
// list of a claim accepts a device of the first group. The second list prefers the other device
// of this group to the one of the other group. The constraint names all requests, both lists,
// or all of their subrequests. Another claim has no alternative.
var distinctValuesOfAlternatives = suite.Spec{
	ID:           "distinct-values-of-alternatives",
	Description:  "distinctAttribute applies to the devices of subrequests, whether it names them, their lists or nothing.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append(slices.Clone(sharedDeviceFeatures), features.PrioritizedList),
	Component:    env.Scheduler,
	Since:        "1.35", // 1.34 treats the values of two devices as distinct even if they are equal.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4816-constraint-for-all-alternatives", "4816-constraint-for-one-alternative", "5075-distinct-values"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("x-0", "x-1", "y")
		for i, group := range []string{"x", "x", "y"} {
			inventory.Devices[i].Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &group}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		x, y := fixture.SubRequestFor(sim, "x"), fixture.SubRequestFor(sim, "y")
		lists := []devices.Request{fixture.FirstAvailable("first", x), fixture.FirstAvailable("second", x, y)}
		distinct := func(names ...string) resourceapi.DeviceConstraint {
			return resourceapi.DeviceConstraint{DistinctAttribute: ptr.To(qualifiedName(sim, "group")), Requests: names}
		}
		for i, names := range [][]string{nil, {"first", "second"}, {"first/x", "second/x", "second/y"}} {
			pod := fmt.Sprintf("apart-%d", i)
			pods.CreateWithRequests(ctx, e, pod, lists, distinct(names...))
			expect.ScheduledFor(ctx, e, pod, "its devices must be of different groups", "first/x", "second/y")
			pods.DeleteWithClaim(ctx, e, pod)
		}
		pods.CreateWithRequests(ctx, e, "partly", lists, distinct("first", "second/y"))
		expect.ScheduledFor(ctx, e, "partly", "the constraint does not name the subrequest that it prefers", "first/x", "second/x")
		pods.DeleteWithClaim(ctx, e, "partly")

		lists[1].FirstAvailable = lists[1].FirstAvailable[:1]
		pods.CreateWithRequests(ctx, e, "alike", lists, distinct())
		pods.WaitForUnschedulable(ctx, e, "alike", "the only devices that its lists accept are of one group")
	},
}
