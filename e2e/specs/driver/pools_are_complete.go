// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// poolsAreComplete collects the slices with the highest generation of each pool
// of the driver. Their number must be the one that each of them states, and the
// names of their devices must differ.
var poolsAreComplete = suite.Spec{
	ID:           "pools-are-complete",
	Description:  "Each pool of the driver is complete: it has as many ResourceSlices of its newest generation as they state, no older ones, and each device once.",
	Profile:      profile,
	Level:        suite.Provisional,
	Smoke:        true,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	Requirements: []string{"4381-pools-are-complete"},
	Body: func(ctx context.Context, e *env.Env) {
		devices.WaitForCompletePools(ctx, e, e.Subject.Exclusive.Device.Driver)
	},
}

// poolsOfKind and waitForCompletePools are what the specs of other kinds of devices have in common.
var poolsOfKind = suite.Spec{
	Description:  "Each pool of a driver of %s devices is complete: it has as many ResourceSlices of its newest generation as they state, no older ones, and each device once.",
	Requirements: []string{"4381-pools-are-complete"},
}

func waitForCompletePools(ctx context.Context, e *env.Env, k kind) {
	ginkgo.GinkgoHelper()
	devices.WaitForCompletePools(ctx, e, k.device(e.Subject).Driver)
}
