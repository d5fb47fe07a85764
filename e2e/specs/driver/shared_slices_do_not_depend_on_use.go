// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// sharedSlicesDoNotDependOnUse compares the devices of a node before, while and
// after pods have shares of some of them, which consume some of their capacity.
var sharedSlicesDoNotDependOnUse = suite.Spec{
	ID:           "shared-slices-do-not-depend-on-use",
	Description:  "A device that claims share keeps its name and all of its capacity when claims for shares are prepared and unprepared.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.SharedDevices},
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindShared},
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-slices-do-not-depend-on-use", "5075-slice-keeps-its-value"},
	Body: func(ctx context.Context, e *env.Env) {
		expectSlicesStay(ctx, e, e.Subject.Shared.Share)
	},
}
