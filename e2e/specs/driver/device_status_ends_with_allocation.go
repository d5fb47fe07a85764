// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// deviceStatusEndsWithAllocation runs a pod with a device until the driver has
// written the status of the device into the claim, deletes the pod, and waits
// until the claim, which stays, is deallocated. Another pod then uses the claim.
var deviceStatusEndsWithAllocation = suite.Spec{
	ID:           "device-status-ends-with-allocation",
	Description:  "When a claim is deallocated, the status of its devices is removed. It is written again when the claim is used again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     statusFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: statusCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4817-status-ends-with-allocation"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pod := device.start(ctx, e, "claim")
		pods.WaitForRunning(ctx, e, pod)
		device.waitForStatus(ctx, e, pod, "claim")
		pods.Delete(ctx, e, pod)
		claims.WaitForDeallocated(ctx, e, "claim")
		claims.ExpectNoDeviceStatus(ctx, e, "claim")
		pods.CreateUsingClaims(ctx, e, "next", pods.Options{Node: device.node}, "claim")
		pods.WaitForRunning(ctx, e, "next")
		reported := claims.WaitForDeviceStatus(ctx, e, "claim", device.Driver)
		gomega.Expect(reported).NotTo(gomega.BeEmpty(), "the driver should report the status of the device again")
		claims.ExpectValidDeviceStatus("claim", claims.GetAllocation(ctx, e, "claim"), reported)
	},
}
