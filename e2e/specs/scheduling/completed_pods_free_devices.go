// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// completedPodsFreeDevices schedules two pods, for whose devices two others wait.
// The first pod succeeds, and then the second one fails. Neither is deleted.
var completedPodsFreeDevices = suite.Spec{
	ID:           "completed-pods-free-devices",
	Description:  "When a pod has succeeded or failed, its device is allocated for a pod that waits, although the pod and its claim still exist.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-completed-pods-release"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		createPodFor(ctx, e, sim, "succeeds", "card")
		createPodFor(ctx, e, sim, "fails", "disk")
		pods.WaitForScheduled(ctx, e, "succeeds", "fails")
		createPodFor(ctx, e, sim, "next-card", "card")
		createPodFor(ctx, e, sim, "next-disk", "disk")
		pods.WaitForAllUnschedulable(ctx, e, "the pods with their devices have not completed", "next-card", "next-disk")

		pods.SetPhase(ctx, e, "succeeds", corev1.PodSucceeded)
		pods.WaitForScheduled(ctx, e, "next-card")
		pods.WaitForUnschedulable(ctx, e, "next-disk", "the pod with its device has not completed")
		pods.SetPhase(ctx, e, "fails", corev1.PodFailed)
		pods.WaitForScheduled(ctx, e, "next-disk")
	},
}
