// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// multiHostPoolsStayRightDuringRestart restarts a driver on each node with its devices in
// turn, because any of these processes may be the one that publishes the pool. In a large
// cluster, it restarts only some of them: all would take too long.
var multiHostPoolsStayRightDuringRestart = forEachPublished([]string{"multi-host-pools-stay-right-during-restart"}, ofRestarts,
	func(ctx context.Context, e *env.Env, k kind) {
		driver := k.device(e.Subject).Driver
		devices.WaitForCompletePools(ctx, e, driver)
		nodes, err := devices.ListHosts(ctx, e, driver)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(nodes).NotTo(gomega.BeEmpty(), "the devices of driver %s should select nodes", driver)
		restartWithPools(ctx, e, driver, nodes[:min(len(nodes), mostRestarts)]...)
	})

// mostRestarts is on how many nodes a spec restarts a driver at most.
const mostRestarts = 8
