// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// unprepareLeavesOtherShares runs two pods with claims for shares of the same
// device, and deletes one of them with its claim. Another pod then starts with the
// claim that is left.
var unprepareLeavesOtherShares = suite.Spec{
	ID:           "unprepare-leaves-other-shares",
	Description:  "When the claim of one of two shares of a device is unprepared, the other one stays prepared, and further pods can use it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.SharedDevices},
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindShared},
	Fields:       []subject.Field{subject.SharedIdentity},
	Capabilities: sharingCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-unprepares-what-is-named"},
	Body: func(ctx context.Context, e *env.Env) {
		share := findShareOnNode(ctx, e)
		goes := share.run(ctx, e, "goes")
		stays := share.ofDeviceOf(ctx, e, "goes").run(ctx, e, "stays")

		pods.DeleteWithClaim(ctx, e, "goes", goes.Pod)
		drivers.WaitForUnprepared(ctx, e, share.Driver, share.node, "goes")
		drivers.WaitForPrepared(ctx, e, share.Driver, share.node, "stays")
		pods.CreateUsingClaims(ctx, e, "joined", pods.Options{Node: share.node}, "stays")
		pods.WaitForRunning(ctx, e, "joined")
		pods.ExpectNotRestarted(ctx, e, stays, "the end of the other share")
	},
}
