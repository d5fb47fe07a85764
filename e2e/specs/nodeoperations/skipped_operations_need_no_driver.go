// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeoperations

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// kubeletNeeds are those of specs that run pods on nodes of the cluster with devices of a
// driver that does not run there.
var kubeletNeeds = []env.Need{env.NeedsSimulatedNodes}

// skippedOperationsNeedNoDriver runs a pod with a device of a driver that no node has. Its
// slice states that kubelets skip all operations for it. Then it runs one with a device for
// which they skip both operations by their names.
var skippedOperationsNeedNoDriver = suite.Spec{
	ID:           "skipped-operations-need-no-driver",
	Description:  "A kubelet runs a pod whose devices have skipNodeOperations without a call of their driver, which does not run on its node, and removes the pod when it is deleted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     operationFeatures,
	Component:    env.Kubelet,
	MinNodes:     1,
	Needs:        kubeletNeeds,
	Requirements: []string{"5945-operations-are-skipped"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateDriver(ctx, e)
		publish(ctx, sim, "skipped", all, "skipped")
		pods.CreateWithRequests(ctx, e, "pod", fixture.RequestFor(sim, "skipped"))
		pods.WaitForContainersRunning(ctx, e, "pod")
		pods.DeleteWithClaim(ctx, e, "pod", "pod")
		publish(ctx, sim, "named", both, "named")
		pods.CreateWithRequests(ctx, e, "named", fixture.RequestFor(sim, "named"))
		pods.WaitForContainersRunning(ctx, e, "named")
		pods.DeleteWithClaim(ctx, e, "named", "named")
	},
}
