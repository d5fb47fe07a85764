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

// usedSharedDevicesOutliveRestart is usedDevicesOutliveRestart for a share of a device. What is
// left of a device that claims share is not its capacity.
var usedSharedDevicesOutliveRestart = suite.Spec{
	ID:           "used-shared-devices-outlive-restart",
	Description:  "A driver that is restarted while a pod uses a share of a device publishes this device as before: with its name and all of its capacity.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.SharedDevices},
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindShared},
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverRestart},
	Requirements: []string{"4381-slices-do-not-depend-on-use", "5075-slice-keeps-its-value"},
	Body: func(ctx context.Context, e *env.Env) {
		expectUsedOutliveRestart(ctx, e, e.Subject.Shared.Share)
	},
}
