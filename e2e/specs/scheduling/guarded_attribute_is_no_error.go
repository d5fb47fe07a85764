// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// guardedAttributeIsNoError publishes a device without an attribute before
// several with it. Claims request a device by selectors that test in different
// ways whether the attribute exists.
var guardedAttributeIsNoError = suite.Spec{
	ID:           "guarded-attribute-is-no-error",
	Description:  "A selector that tests whether an attribute exists, also in a domain without attributes, passes over devices without it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-unknown-domain-is-empty"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		names := slices.Sorted(maps.Keys(guarded))
		inventory := fixture.Devices(append([]string{"plain"}, names...)...)
		for i := range names {
			inventory.Devices[1+i].Attributes["level"] = resourceapi.DeviceAttribute{IntValue: ptr.To[int64](1)}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		for _, name := range names {
			pods.CreateWithRequests(ctx, e, name, fixture.One(sim.Device(withOwn(sim, guarded[name]))))
		}
		pods.WaitForScheduled(ctx, e, names...)
	},
}

// guarded are selectors that are no error for a device without the attribute.
var guarded = map[string]string{
	"in":       `"level" in own && own.level == 1`,
	"has":      `has(own.level) && own.level == 1`,
	"optional": `own.?level.orValue(0) == 1`,
	"domain":   `!("level" in device.attributes["unknown.example.com"]) && "level" in own`,
}
