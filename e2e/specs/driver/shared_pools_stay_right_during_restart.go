// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite/env"
)

// sharedPoolsStayRightDuringRestart restarts a driver of shared devices.
var sharedPoolsStayRightDuringRestart = forEachPublished([]string{"shared-pools-stay-right-during-restart"}, ofRestarts,
	func(ctx context.Context, e *env.Env, _ kind) {
		device := findShareOnNode(ctx, e)
		restartWithPools(ctx, e, device.Driver, device.node)
	})
