// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// ruleFeatures are the features that specs of DeviceTaintRules need.
var ruleFeatures = append([]features.Feature{features.DeviceTaintRules}, taintFeatures...)

// createTwoPools publishes the devices card and disk on each of two nodes, whose
// pools have the names of the nodes.
func createTwoPools(ctx context.Context, e *env.Env) *simulated.Nodes {
	ginkgo.GinkgoHelper()
	sim := simulated.CreateNodes(ctx, e, 2)
	for _, node := range sim.Names {
		sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("card", "disk"))
	}
	return sim
}

// selector returns the selector of a DeviceTaintRule for the driver of simulated
// nodes. An empty pool or device selects all.
func selector(sim *simulated.Nodes, pool, device string) resourceapi.DeviceTaintSelector {
	s := resourceapi.DeviceTaintSelector{Driver: &sim.Driver}
	if pool != "" {
		s.Pool = &pool
	}
	if device != "" {
		s.Device = &device
	}
	return s
}

// expectOpen asserts that a device of a node is allocated to a new pod.
func expectOpen(ctx context.Context, e *env.Env, sim *simulated.Nodes, node int, device string) {
	ginkgo.GinkgoHelper()
	pod := fmt.Sprintf("%s-of-node-%d", device, node)
	pods.CreateWithClaimOnNode(ctx, e, pod, sim.Names[node], claimFor(sim, device))
	pods.WaitForScheduled(ctx, e, pod)
}

// waitForClosed waits until a device of a node is not allocated to new pods any
// more, and returns the first pod that waits for it.
func waitForClosed(ctx context.Context, e *env.Env, sim *simulated.Nodes, node int, device, because string, tolerations ...resourceapi.DeviceToleration) string {
	ginkgo.GinkgoHelper()
	return expect.PendingOnceSeen(ctx, e, fmt.Sprintf("closed-%s-of-node-%d", device, node), because, func(pod string) {
		pods.CreateWithClaimOnNode(ctx, e, pod, sim.Names[node], claimFor(sim, device, tolerations...))
	})
}
