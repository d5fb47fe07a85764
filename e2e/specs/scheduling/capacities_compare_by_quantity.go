// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// capacitiesCompareByQuantity publishes devices with capacities in different
// units and domains. Pods request them by comparisons with other units.
var capacitiesCompareByQuantity = suite.Spec{
	ID:           "capacities-compare-by-quantity",
	Description:  "Selectors compare capacities as quantities, whatever their units.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-capacities-are-quantities"},
	Body:         func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "capacities.yaml") },
}
