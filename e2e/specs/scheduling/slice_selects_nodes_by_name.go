// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// sliceSelectsNodesByName publishes slices whose node selectors have requirements
// for the name of nodes, one of them also for a label. Pods request the devices of
// each slice on each of three nodes.
var sliceSelectsNodesByName = suite.Spec{
	ID:           "slice-selects-nodes-by-name",
	Description:  "Devices of a ResourceSlice with a node selector for the field metadata.name are allocated for pods on the nodes that it matches, and for no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-slice-of-named-nodes"},
	Body:         func(ctx context.Context, e *env.Env) { expectSelections(ctx, e, "names.yaml") },
}
