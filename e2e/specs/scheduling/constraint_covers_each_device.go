// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

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

// constraintCoversEachDevice publishes two pairs of devices, with the same group and
// with different groups. A claim for each pair has one request for two devices, which
// a constraint names.
var constraintCoversEachDevice = suite.Spec{
	ID:           "constraint-covers-each-device",
	Description:  "A constraint on a request for several devices applies to each of these devices.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-constraint-on-each-device"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("alike-0", "alike-1", "unlike-0", "unlike-1")
		for i, group := range []string{"a", "a", "b", "c"} {
			inventory.Devices[i].Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &group}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		group := ptr.To(resourceapi.FullyQualifiedName(ownName(sim, "group")))
		for _, pair := range []string{"alike", "unlike"} {
			selector := fmt.Sprintf("device.attributes[%q].name.startsWith(%q)", sim.Driver, pair+"-")
			pods.CreateWithRequests(ctx, e, pair, []devices.Request{{Name: "pair", Device: sim.Device(selector), Count: 2}},
				resourceapi.DeviceConstraint{Requests: []string{"pair"}, MatchAttribute: group})
		}
		pods.WaitForScheduled(ctx, e, "alike")
		pods.WaitForUnschedulable(ctx, e, "unlike", "the two devices of its request have different groups")
	},
}
