// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// notReservedIsNotRun creates pods that are bound to a node by name: one with
// a claim that is not allocated, and one with a claim that does not exist. The
// driver must not be called for them.
var notReservedIsNotRun = suite.Spec{
	ID:           "not-reserved-is-not-run",
	Description:  "A pod that is bound to a node although its claim is not allocated, or does not exist, is not started, and an event names the claim.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverCalls},
	Requirements: []string{"4381-not-allocated-not-run"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		// These words occur only in messages that name the claim.
		claimNames := []string{"never-allocated", "never-created"}
		_, err := claims.Create(ctx, e, claimNames[0], devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: device.Device}}))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		podNames := []string{"first", "second"}
		for i, claim := range claimNames {
			pods.CreateBoundToNode(ctx, e, device.node, podNames[i], claim)
		}
		for i, claim := range claimNames {
			pods.ExpectNotStarted(ctx, e, podNames[i], claim)
			gomega.Expect(drivers.GetCalls(ctx, e, device.Driver, device.node, operations.Prepare, claim)).To(gomega.BeEmpty(), "claim %s should not be prepared", claim)
		}
	},
}
