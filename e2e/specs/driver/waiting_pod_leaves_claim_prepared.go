// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// waitingPodLeavesClaimPrepared creates a pod that is bound to a node by name
// and uses the claim of a running pod and one that does not exist. Then this
// pod is deleted, and the driver must not be called for the shared claim.
var waitingPodLeavesClaimPrepared = suite.Spec{
	ID:          "waiting-pod-leaves-claim-prepared",
	Description: "Of two pods that share a claim, one cannot start because another claim of it is missing. When that pod is deleted, the shared claim stays prepared for the other pod.",
	Profile:     profile,
	Features:    exclusiveFeatures,
	Component:   env.Kubelet,
	Kinds:       exclusiveKinds,
	MinNodes:    1,
	OneNode:     true,
	// Kubelets up to 1.36 assume that the only pod they know for a claim is the
	// one that ends, and unprepare the claim.
	Since:        "1.37",
	Needs:        []env.Need{env.NeedsDriverCalls},
	Requirements: []string{"4381-prepared-for-its-pods"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user := device.start(ctx, e, "shared")
		pods.WaitForRunning(ctx, e, user)
		container := pods.GetContainer(ctx, e, user)

		pods.CreateBoundToNode(ctx, e, device.node, "waiting", "shared", "never-created")
		pods.ExpectNotStarted(ctx, e, "waiting", "never-created")
		pods.Delete(ctx, e, "waiting")
		gomega.Expect(drivers.GetCalls(ctx, e, device.Driver, device.node, operations.Unprepare, "shared")).To(gomega.BeEmpty(), "pod %s still uses claim shared", user)
		drivers.WaitForPrepared(ctx, e, device.Driver, device.node, "shared")
		pods.ExpectNotRestarted(ctx, e, container, "the end of a pod that was never started")

		pods.DeleteWithClaim(ctx, e, "shared", user)
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "shared")
	},
}
