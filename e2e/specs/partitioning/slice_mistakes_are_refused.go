// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// sliceMistakesAreRefused creates slices with one mistake each in dry runs,
// and expects validation errors for the field with the mistake.
var sliceMistakesAreRefused = suite.Spec{
	ID:          "slice-mistakes-are-refused",
	Description: "The API server rejects ResourceSlices with invalid counters or node selections, and names the field.",
	Profile:     profile,
	Features:    partitionFeatures,
	Component:   env.Cluster,
	Since:       "1.35",
	Requirements: []string{
		"4815-counters-apart-from-devices",
		"4815-counter-set-name",
		"4815-counter-set-counters",
		"4815-consumption-required",
		"4815-one-entry-per-counter-set",
		"4815-one-node-selection",
		"4815-node-selection-of-each-device",
		"4815-one-node-selection-of-a-device",
		"4815-node-selection-needs-the-flag",
		"4381-scheduling-one-node-selector-term",
	},
	Body: func(ctx context.Context, e *env.Env) {
		var mistakes []struct {
			What, Field string
			Slice       resourceapi.ResourceSliceSpec
		}
		load("rejected-slices", &mistakes)
		for _, m := range mistakes {
			expectRejected(ctx, e, m.What, m.Field, m.Slice)
		}
	},
}
