// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
)

// poolsStayRightDuringRestart lists the driver's ResourceSlices again and again
// while the driver restarts on a node. No pool may have more slices of its newest
// generation than they state, or a device twice. Afterwards all pools must be
// complete, without slices of other generations. The generation may be a lower one.
var poolsStayRightDuringRestart = suite.Spec{
	ID:           "pools-stay-right-during-restart",
	Description:  "While a driver restarts, no pool has too many ResourceSlices or a device twice. Afterwards all pools are complete, and have no ResourceSlices of other generations.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverRestart},
	Requirements: []string{"4381-pools-are-complete", "4381-generations-can-be-reset"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		restartWithPools(ctx, e, device.Driver, device.node)
	},
}

// ofRestarts has what the specs of other kinds of devices have in common.
var ofRestarts = suite.Spec{
	Description:  "While a driver of %s devices restarts, no pool has too many ResourceSlices or a device twice. Afterwards all pools are complete, and have no ResourceSlices of other generations.",
	Needs:        []env.Need{env.NeedsDriverRestart},
	Requirements: []string{"4381-pools-are-complete", "4381-generations-can-be-reset"},
}

// restartWithPools restarts a driver on nodes and asserts that its pools stay right.
func restartWithPools(ctx context.Context, e *env.Env, driver string, nodes ...string) {
	ginkgo.GinkgoHelper()
	devices.WaitForCompletePools(ctx, e, driver)
	stop := devices.ExpectPoolsNeverWrong(ctx, e, driver)
	for _, node := range nodes {
		drivers.Restart(ctx, e, driver, node)
	}
	devices.WaitForCompletePools(ctx, e, driver)
	stop()
}
