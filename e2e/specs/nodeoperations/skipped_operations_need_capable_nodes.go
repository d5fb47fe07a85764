// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeoperations

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// skippedOperationsNeedCapableNodes publishes two devices without operations on
// nodes, and an ordinary one, for two nodes of which the second one declares the
// feature. Pods that may only run on the first node request a device of each sort,
// and another one may run on both nodes.
var skippedOperationsNeedCapableNodes = suite.Spec{
	ID:           "skipped-operations-need-capable-nodes",
	Description:  "A device for which kubelets skip operations is allocated only for pods on nodes that declare the feature. Other devices are allocated on all nodes.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     operationFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5945-capable-nodes-only"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNodes(ctx, e)
		publish(ctx, sim, "network", all, "port-1", "port-2")
		publish(ctx, sim, "ordinary", nil, "card")
		createPodOn := func(node, pod, device string) {
			pods.CreateWithClaimOnNode(ctx, e, pod, node, devices.NewDeviceClaim(fixture.RequestFor(sim, device)))
		}
		createPodOn(sim.Names[0], "incapable", "port-1")
		createPodOn(sim.Names[0], "ordinary", "card")
		createPodOn("", "anywhere", "port-2")
		pods.WaitForScheduled(ctx, e, "ordinary", "anywhere")
		pods.WaitForUnschedulable(ctx, e, "incapable", "its node does not declare that it can skip operations")
		pods.ExpectOnNode(ctx, e, "anywhere", sim.Names[capable], "only this node declares that it can skip operations")
	},
}
