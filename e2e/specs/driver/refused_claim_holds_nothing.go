// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// refusedClaimHoldsNothing creates a pod with a claim for two devices, of which the second one
// has parameters that the driver cannot know. When an event reports that the pod is not started,
// it deletes the pod, and other pods get both devices. It does not apply to a driver that starts
// the pod: a driver may ignore parameters.
var refusedClaimHoldsNothing = suite.Spec{
	ID:           "refused-claim-holds-nothing",
	Description:  "A pod is deleted although the driver has refused to prepare its claim because of the parameters for one of its devices. Other pods of the node get both devices.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-failed-prepare-holds-nothing"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pods.CreateWithClaimOnNode(ctx, e, "refused", device.node, devices.NewDeviceClaim(fixture.RefusedRequests(device.Device)))
		if !pods.IsReported(ctx, e, "refused", "refused") {
			e.NotApplicable("needs a driver that refuses parameters that it does not know, and this one prepared the claim")
		}
		held := slices.Concat(claims.GetDevicesForRequest(ctx, e, "refused", fixture.GoodRequest), claims.GetDevicesForRequest(ctx, e, "refused", fixture.RefusedRequest))
		pods.DeleteWithClaim(ctx, e, "refused")
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "refused")
		device.useEach(ctx, e, held)
	},
}
