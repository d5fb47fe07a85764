// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverGivesDevicesOnce creates one more pod on a node than it has devices, and
// deletes one of those that run.
var classicDriverGivesDevicesOnce = suite.Spec{
	ID:           "classic-driver-gives-devices-once",
	Description:  "A device belongs to one claim, the container of its pod sees it, and it is free again when the pod and the claim are gone.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-driver-frees-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		node := w.Nodes[0]
		users := w.FillNode(ctx, node, "user", "there is a device for each pod")
		w.CreatePodsOn(ctx, node, "waiting")
		w.ExpectNotBound(ctx, "waiting", "all devices of the node are in use")
		w.DeletePods(ctx, false, users[0])
		w.DeleteClaim(ctx, users[0])
		w.WaitForClaimRemoved(ctx, users[0], "no pod uses the claim any more")
		w.WaitForRunning(ctx, "a device is free again", append(users[1:], "waiting")...)
	},
}
