// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeallocatable

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// nodeResourcesOfOnePod publishes a device that stands for 10 cpus on a node with
// 64. Two pods use the same claim for it.
var nodeResourcesOfOnePod = suite.Spec{
	ID:          "node-resources-of-one-pod",
	Description: "A claim for a device that stands for resources of the node is used by one pod at a time.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    resourceFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5517-of-one-pod",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNode(ctx, e)
		createPool(ctx, sim, withResource(corev1.ResourceCPU, mapped("10"), "a"))
		pods.CreateWithRequests(ctx, e, "first", fixture.RequestFor(sim, "a"))
		pods.WaitForScheduled(ctx, e, "first")
		pods.CreateUsingClaims(ctx, e, "second", pods.Options{}, "first")
		expectLaterPodFirst(ctx, e, "second", "another pod uses its claim")
	},
}
