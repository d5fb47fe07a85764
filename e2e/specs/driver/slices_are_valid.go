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

// slicesAreValid checks the driver's pools with the linter's rules of the
// allocator, and looks for the nodes that they name. The API server has validated the slices
// themselves.
var slicesAreValid = suite.Spec{
	ID:           "slices-are-valid",
	Description:  "The ResourceSlices of the driver are valid, schedulers can allocate from them, and the nodes that they name exist.",
	Profile:      profile,
	Level:        suite.Provisional,
	Smoke:        true,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	Requirements: []string{"4381-slices-are-valid", "4381-slices-name-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		devices.ExpectValidSlices(ctx, e, e.Subject.Exclusive.Device.Driver)
	},
}

// slicesOfKind and expectValidSlices are what the specs of other kinds of devices have in common.
var slicesOfKind = suite.Spec{
	Description:  "The ResourceSlices of a driver of %s devices are valid, schedulers can allocate from them, and the nodes that they name exist.",
	Requirements: []string{"4381-slices-are-valid", "4381-slices-name-nodes"},
}

func expectValidSlices(ctx context.Context, e *env.Env, k kind) {
	ginkgo.GinkgoHelper()
	devices.ExpectValidSlices(ctx, e, k.device(e.Subject).Driver)
}
