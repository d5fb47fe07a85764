// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

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

// madeClaimIsUnprepared deletes a running pod with a claim from a template by
// force, waits until the claim is deleted and unprepared, and starts another
// pod with the whole device that the pod had a part of.
var madeClaimIsUnprepared = suite.Spec{
	ID:           "made-claim-is-unprepared",
	Description:  "When a pod is force-deleted, its claim from a template is deleted too, and the driver still unprepares its devices.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Fields:       []subject.Field{subject.ExclusiveParents},
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsClaimsInUse},
	Requirements: []string{"4381-unprepared-after-last-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		claims.CreateTemplate(ctx, e, "template", devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: device.Device}}))
		pods.CreateFromClaimTemplate(ctx, e, "pod", "template", device.node)
		whole := device.whole(ctx, e, pods.WaitForRunning(ctx, e, "pod")[0])
		generated := pods.GetGeneratedClaim(ctx, e, "pod")
		drivers.WaitForPrepared(ctx, e, device.Driver, device.node, generated)

		pods.DeleteByForce(ctx, e, "pod")
		claims.WaitForCollected(ctx, e, generated, "the pod that owns it is deleted")
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, generated)
		pods.WaitForRunning(ctx, e, whole.start(ctx, e, "whole"))
	},
}
