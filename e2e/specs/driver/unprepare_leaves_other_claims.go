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

// unprepareLeavesOtherClaims creates two pods with a claim each on one node,
// and deletes one of them with its claim. It compares the driver's prepared
// claims.
var unprepareLeavesOtherClaims = suite.Spec{
	ID:           "unprepare-leaves-other-claims",
	Description:  "When one of two claims of a driver on a node is unprepared, the other one stays prepared.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsClaimsInUse},
	Requirements: []string{"4381-unprepares-what-is-named"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		goes, stays := device.start(ctx, e, "goes"), device.start(ctx, e, "stays")
		pods.WaitForRunning(ctx, e, goes)
		pods.WaitForRunning(ctx, e, stays)
		container := pods.GetContainer(ctx, e, stays)

		pods.DeleteWithClaim(ctx, e, "goes", goes)
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "goes")
		drivers.WaitForPrepared(ctx, e, device.Driver, device.node, "stays")
		pods.ExpectNotRestarted(ctx, e, container, "the end of the other claim")
	},
}
