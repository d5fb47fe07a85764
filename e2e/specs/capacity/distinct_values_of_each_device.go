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

// distinctValuesOfEachDevice publishes three kinds of three devices each: of three groups, of
// two groups, and of one group except for one device that has none. Claims have one request
// for as many devices of a kind as there are groups, or for one more.
var distinctValuesOfEachDevice = suite.Spec{
	ID:          "distinct-values-of-each-device",
	Description: "distinctAttribute applies to each device of a request for several devices: they have different values, and none of them lacks the attribute.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	// Earlier schedulers do not compare all devices of a request with each other.
	Since:        "1.37",
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-constraint-on-each-device", "5075-distinct-values"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := &simulated.Inventory{}
		for kind, groups := range map[string][]string{"unlike": {"a", "b", "c"}, "twins": {"d", "e", "d"}, "lonely": {"f", "f", ""}} {
			for i, group := range groups {
				device := fixture.Devices(fmt.Sprintf("%s-%d", kind, i)).Devices[0]
				if group != "" {
					device.Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &group}
				}
				inventory.Devices = append(inventory.Devices, device)
			}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		create := func(pod, kind string, count int64) {
			device := sim.Device(fmt.Sprintf("device.attributes[%q].name.startsWith(%q)", sim.Driver, kind))
			pods.CreateWithRequests(ctx, e, pod, []devices.Request{{Name: "several", Device: device, Count: count}},
				resourceapi.DeviceConstraint{DistinctAttribute: ptr.To(qualifiedName(sim, "group"))})
		}
		create("three-twins", "twins", 3)
		create("two-lonely", "lonely", 2)
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"three-twins": "two of the three devices have the same group",
			"two-lonely":  "of the three devices, two have the same group and one has none",
		})
		create("three-unlike", "unlike", 3)
		create("two-twins", "twins", 2)
		pods.WaitForScheduled(ctx, e, "three-unlike", "two-twins")
	},
}
