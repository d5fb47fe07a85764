// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

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

// sharedPoolsStayRightDuringRestart restarts a driver of shared devices.
var sharedPoolsStayRightDuringRestart = forEachPublished([]string{"shared-pools-stay-right-during-restart"}, ofRestarts,
	func(ctx context.Context, e *env.Env, _ kind) {
		device := findShareOnNode(ctx, e)
		restartWithPools(ctx, e, device.Driver, device.node)
	})

// multiHostPoolsStayRightDuringRestart restarts a driver on each node with its devices in
// turn, because any of these processes may be the one that publishes the pool.
var multiHostPoolsStayRightDuringRestart = forEachPublished([]string{"multi-host-pools-stay-right-during-restart"}, ofRestarts,
	func(ctx context.Context, e *env.Env, k kind) {
		driver := k.device(e.Subject).Driver
		devices.WaitForCompletePools(ctx, e, driver)
		nodes, err := devices.ListHosts(ctx, e, driver)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(nodes).NotTo(gomega.BeEmpty(), "the devices of driver %s should select nodes", driver)
		restartWithPools(ctx, e, driver, nodes...)
	})

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
