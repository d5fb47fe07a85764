// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// multiHostSixteenPodsShareClaim creates 16 pods that share a claim for an 8x8
// grid on 16 nodes, and then requests a slice of each smaller size.
var multiHostSixteenPodsShareClaim = suite.Spec{
	ID:           "multi-host-sixteen-pods-share-claim",
	Description:  "Sixteen pods that share a claim for an 8x8 slice are scheduled to its sixteen nodes, and no smaller slice is available at the same time.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-pods-share-a-multi-host-device"},
	Body: func(ctx context.Context, e *env.Env) {
		g := createGrid(ctx, e, "8x8")
		podNames := pods.CreateSharingClaim(ctx, e, "whole", g.withShape("8x8"), len(g.Names), pods.Options{})
		gomega.Expect(waitForNodes(ctx, e, podNames...)).To(gomega.ConsistOf(g.Names), "each of the 16 hosts has one of the pods")

		var smaller []string
		for _, shape := range []string{"2x2", "2x4", "4x4", "4x8"} {
			smaller = append(smaller, "a-"+shape)
			createPod(ctx, e, "a-"+shape, g.withShape(shape))
		}
		pods.WaitForAllUnschedulable(ctx, e, "claim whole holds all hosts", smaller...)
	},
}
