// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// matchAttributeComparesTypes publishes pairs of devices with values of an
// attribute that are the same, differ, or differ in type only. A claim with a
// constraint requests both devices of a pair.
var matchAttributeComparesTypes = suite.Spec{
	ID:           "match-attribute-compares-types",
	Description:  "matchAttribute requires the same value of the same type. Devices without the attribute do not match.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-match-attribute-has-type"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := &simulated.Inventory{}
		var matching []string
		refused := map[string]string{}
		for _, p := range fixture.ReadList[pair](data, "pairs.yaml") {
			inventory.Devices = append(inventory.Devices, p.devices().Devices...)
			if p.Refused == "" {
				matching = append(matching, p.Name)
			} else {
				refused[p.Name] = p.Refused
			}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		for _, name := range matching {
			createPair(ctx, e, sim, name, ownName(sim, "group"))
		}
		for name := range refused {
			createPair(ctx, e, sim, name, ownName(sim, "group"))
		}
		pods.WaitForScheduled(ctx, e, matching...)
		pods.WaitForEachUnschedulable(ctx, e, refused)
	},
}

// pair are two devices, of which a claim requests both.
type pair struct {
	// Name is the beginning of the names of the devices, and the name of the claim.
	Name string
	// First and Second are the values of the attribute that must match. Without a
	// value, the device does not have the attribute.
	First, Second *resourceapi.DeviceAttribute
	// Refused states why the devices do not match. It is empty if they do.
	Refused string
}

// devices returns the devices of the pair.
func (p pair) devices() *simulated.Inventory {
	inventory := fixture.Devices(p.Name+"-0", p.Name+"-1")
	for i, value := range []*resourceapi.DeviceAttribute{p.First, p.Second} {
		if value != nil {
			inventory.Devices[i].Attributes["group"] = *value
		}
	}
	return inventory
}
