// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// multiHostReleasedWithLastPod allocates a whole 4x4 grid to a claim of four
// pods, and requests a part of it for another pod. The four pods are deleted
// in two steps, and their claim is kept.
var multiHostReleasedWithLastPod = suite.Spec{
	ID:           "multi-host-released-with-last-pod",
	Description:  "A device of several nodes is deallocated when the last pod of its claim is deleted, in whichever order the pods are deleted, and can then be allocated to another claim.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-release-returns-counters"},
	Body: func(ctx context.Context, e *env.Env) {
		g := createGrid(ctx, e, "4x4")
		podNames := pods.CreateSharingClaim(ctx, e, "whole", g.withShape("4x4"), 4, pods.Options{})
		waitForNodes(ctx, e, podNames...)
		createPod(ctx, e, "late", g.deviceAt("2x4", "0,0"))
		pods.WaitForUnschedulable(ctx, e, "late", "claim whole holds all hosts")

		// The claim is not deleted, so that only its pods keep the device
		// allocated.
		pods.Delete(ctx, e, podNames[0], podNames[2])
		pods.WaitForUnschedulable(ctx, e, "late", "two pods still use claim whole")
		pods.Delete(ctx, e, podNames[3], podNames[1])
		pods.WaitForScheduled(ctx, e, "late")
	},
}
