// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// slicesDoNotDependOnUse compares the devices of a node before, while and after
// pods use some of them. While a device is used, a driver may withdraw others that
// cannot be used together with it.
var slicesDoNotDependOnUse = suite.Spec{
	ID:           "slices-do-not-depend-on-use",
	Description:  "A device keeps its name, its capacity, and the counters that it consumes when claims are prepared and unprepared, because slices state what there is, and not what is free. It keeps meeting the selectors of the claim that uses it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-slices-do-not-depend-on-use"},
	Body: func(ctx context.Context, e *env.Env) {
		expectSlicesStay(ctx, e, e.Subject.Exclusive.Device)
	},
}
