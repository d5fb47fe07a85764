// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
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
		fixture.ExpectPairs(ctx, e, data, "distinct_pairs.yaml", func(group resourceapi.FullyQualifiedName) resourceapi.DeviceConstraint {
			return resourceapi.DeviceConstraint{DistinctAttribute: &group}
		})
	},
}
