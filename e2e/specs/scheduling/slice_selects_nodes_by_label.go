// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// sliceSelectsNodesByLabel publishes a slice for each operator of node selectors,
// and one with two requirements. Pods request the devices of each slice on each of
// three nodes with different labels.
var sliceSelectsNodesByLabel = suite.Spec{
	ID:           "slice-selects-nodes-by-label",
	Description:  "Devices of a ResourceSlice with a node selector are allocated for pods on the nodes whose labels it matches, for each operator of node selectors, and for no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-slice-of-selected-nodes"},
	Body:         func(ctx context.Context, e *env.Env) { expectSelections(ctx, e, "labels.yaml") },
}
