// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// multiHostWithdrawnDevicesStayCharged withdraws a node whose device two pods use. It reads
// from the driver's ResourceSlices whether the counters of the device are still consumed,
// because the other node of the device may have no smaller device that a claim could get.
var multiHostWithdrawnDevicesStayCharged = suite.Spec{
	ID:           "multi-host-withdrawn-devices-stay-charged",
	Description:  "When a node is withdrawn from a driver while pods use a device that spans it, the driver offers no other device with the counters of that device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     multiHostFeatures,
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindMultiHost},
	Fields:       []subject.Field{subject.MultiHostWithdrawn},
	MinNodes:     2,
	Alone:        true,
	Requirements: []string{"4815-withdrawn-devices-stay-charged"},
	Body: func(ctx context.Context, e *env.Env) {
		pair := e.Subject.MultiHost.Pair
		before := devices.WaitForOffer(ctx, e, pair.Driver)
		users := pods.CreateSharingClaim(ctx, e, "used", pair, 2, pods.Options{})
		for _, pod := range users {
			pods.WaitForRunning(ctx, e, pod)
		}
		node := pods.GetNode(ctx, e, users[1])

		takeBack := drivers.WithdrawNode(ctx, e, node)
		without := devices.WaitForWithdrawn(ctx, e, before, pair.Driver, node)
		devices.ExpectStillCharged(before, without, claims.GetDevicesForRequest(ctx, e, "used", "device"))
		takeBack(ctx)
		devices.WaitForReturned(ctx, e, before, pair.Driver, node)
	},
}
