// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
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
		fixture.ExpectPairs(ctx, e, data, "pairs.yaml", func(group resourceapi.FullyQualifiedName) resourceapi.DeviceConstraint {
			return resourceapi.DeviceConstraint{MatchAttribute: &group}
		})
	},
}
