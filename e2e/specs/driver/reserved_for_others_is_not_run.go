// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// reservedForOthersIsNotRun creates a pod that is bound to a node by name and
// uses the claim of a running pod. An admission policy rejects updates of the
// claim, so that the claim is not reserved for it. The driver must not be
// called again.
var reservedForOthersIsNotRun = suite.Spec{
	ID:           "reserved-for-others-is-not-run",
	Description:  "A pod that is bound to a node although its claim is reserved for another pod only is not started, and an event names the claim. The other pod keeps running.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsDriverCalls, env.NeedsSimulatedNodes},
	Requirements: []string{"4381-not-reserved-not-run"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		owner := device.start(ctx, e, "taken")
		pods.WaitForRunning(ctx, e, owner)
		container := pods.GetContainer(ctx, e, owner)
		prepared := len(drivers.GetCalls(ctx, e, device.Driver, device.node, operations.Prepare, "taken"))

		// Without this policy, the controller manager would reserve the claim
		// for each pod that is bound to a node.
		claims.RejectStatusUpdates(ctx, e, "taken")
		pods.CreateBoundToNode(ctx, e, device.node, "intruder", "taken")
		pods.ExpectNotStarted(ctx, e, "intruder", "taken")
		gomega.Expect(drivers.GetCalls(ctx, e, device.Driver, device.node, operations.Prepare, "taken")).To(gomega.HaveLen(prepared), "claim taken should not be prepared for pod intruder")
		pods.ExpectNotRestarted(ctx, e, container, "a pod that its claim is not reserved for")

		// The claim stays reserved for the pod that had this name.
		pods.DeleteByForce(ctx, e, owner)
		pods.CreateBoundToNode(ctx, e, device.node, owner, "taken")
		pods.ExpectNotStarted(ctx, e, owner, "taken")
		gomega.Expect(drivers.GetCalls(ctx, e, device.Driver, device.node, operations.Prepare, "taken")).To(gomega.HaveLen(prepared), "claim taken should not be prepared for another pod %s", owner)
	},
}
