// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// configurationOfOtherDriversIsIgnored runs a pod whose claim has parameters for a
// driver that does not exist, as a claim may have that several drivers could
// satisfy.
var configurationOfOtherDriversIsIgnored = suite.Spec{
	ID:           "configuration-of-other-drivers-is-ignored",
	Description:  "A pod runs with its device although its claim has parameters for another driver.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-configuration-of-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		claim := devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: e.Subject.Exclusive.Device}})
		claim.Config = append(claim.Config, ofAnotherDriver)
		pods.CreateWithClaim(ctx, e, "pod", claim)
		pods.WaitForRunning(ctx, e, "pod")
	},
}
