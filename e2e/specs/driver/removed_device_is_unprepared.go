// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// publishNeeds are those of specs that change the devices of a driver.
var publishNeeds = []env.Need{env.NeedsDriverPublish, env.NeedsDriverCalls}

// removedDeviceIsUnprepared makes the driver remove a device that a pod uses, deletes the
// pod, and runs another one when the driver has its devices again.
var removedDeviceIsUnprepared = suite.Spec{
	ID:           "removed-device-is-unprepared",
	Description:  "A pod whose device is not published any more keeps running. When the pod is deleted, the driver unprepares the claim, and the pod is removed.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        publishNeeds,
	Requirements: []string{"4381-removed-devices-are-unprepared"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user := device.run(ctx, e, "claim")
		restore := drivers.RemoveDevices(ctx, e, device.Driver, device.node)
		device.expectReleased(ctx, e, user, "the removal of its device")
		restore(ctx)
		device.run(ctx, e, "after")
	},
}

// expectReleased asserts that the container of the only user of the claim "claim" was not
// restarted, and that the claim is unprepared when the pod is deleted.
func (d deviceOnNode) expectReleased(ctx context.Context, e *env.Env, user pods.Container, despite string) {
	ginkgo.GinkgoHelper()
	pods.ExpectSameContainer(ctx, e, user, despite)
	pods.DeleteWithClaim(ctx, e, "claim", user.Pod)
	drivers.WaitForUnprepared(ctx, e, d.Driver, d.node, "claim")
}
