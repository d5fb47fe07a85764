// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"fmt"
	"slices"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// deviceStatusOfTwoDrivers first finds out whether both drivers report the status of devices,
// by a claim for each. Then it runs a pod with a claim for devices of both.
var deviceStatusOfTwoDrivers = suite.Spec{
	ID:           "device-status-of-two-drivers",
	Description:  "Of two drivers with devices in the same claim, each writes the status of its own devices and leaves that of the other one.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append(slices.Clone(twoDriverFeatures), features.DeviceStatus),
	Component:    env.Driver,
	Kinds:        twoDriverKinds,
	Capabilities: statusCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4817-drivers-leave-other-entries"},
	Body: func(ctx context.Context, e *env.Env) {
		two := findTwoDrivers(e)
		for i, device := range two.devices() {
			name := fmt.Sprintf("alone-%d", i)
			two.createClaim(ctx, e, name, device)
			pods.CreateUsingClaims(ctx, e, name, pods.Options{}, name)
			pods.WaitForContainersRunning(ctx, e, name)
			deviceOnNode{Device: device}.waitForStatus(ctx, e, name, name)
			pods.DeleteWithClaim(ctx, e, name, name) // There may be one device only.
		}
		two.createClaim(ctx, e, "both", two.exclusive, two.shared)
		pods.CreateUsingClaims(ctx, e, "both", pods.Options{}, "both")
		pods.WaitForContainersRunning(ctx, e, "both")
		claims.WaitForStatusOfAllDevices(ctx, e, "both", "each driver reports the status of its devices, and entries belong to their driver")
	},
}
