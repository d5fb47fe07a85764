// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// bindingWaitsForAllDevices creates claims with two devices, of one request or of two, of
// which one is ready at first. Others are for a device without binding conditions, too.
var bindingWaitsForAllDevices = suite.Spec{
	ID:           "binding-waits-for-all-devices",
	Description:  "A pod is bound to a node only when all devices of its claim are ready. Devices without binding conditions are ready from the start.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-waits-for-all-devices"},
	Body:         func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "several.yaml") },
}
