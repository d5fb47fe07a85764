// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// claimOfTwoDriversIsPrepared runs a pod with a claim for a device of each of two
// drivers, and deletes it. The allocation that a driver reads has results of the
// other driver.
var claimOfTwoDriversIsPrepared = suite.Spec{
	ID:           "claim-of-two-drivers-is-prepared",
	Description:  "A pod whose claim has devices of two drivers runs with both of them, because each driver prepares its own devices and ignores the others. Both drivers unprepare the claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     twoDriverFeatures,
	Component:    env.Driver,
	Kinds:        twoDriverKinds,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-results-of-other-drivers-are-ignored"},
	Body: func(ctx context.Context, e *env.Env) {
		two := findTwoDrivers(e)
		two.createClaim(ctx, e, "both", two.exclusive, two.shared)
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{}, "both")
		pods.WaitForRunning(ctx, e, "pod")
		node := pods.GetNode(ctx, e, "pod")
		for _, device := range two.devices() {
			drivers.WaitForPrepared(ctx, e, device.Driver, node, "both")
		}
		pods.DeleteWithClaim(ctx, e, "both", "pod")
		for _, device := range two.devices() {
			drivers.WaitForUnprepared(ctx, e, device.Driver, node, "both")
		}
	},
}
