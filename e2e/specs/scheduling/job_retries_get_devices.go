// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// jobRetriesGetDevices creates a Job whose pods have claims from a template for the
// only device. The first pod fails, and the second one succeeds. Another pod waits
// for the device meanwhile.
var jobRetriesGetDevices = suite.Spec{
	ID:           "job-retries-get-devices",
	Description:  "When a pod of a Job has failed, the next one gets a claim of its own and the same device, although the failed pod still exists. When a pod has succeeded, its device is free. The claim of a pod that has failed or succeeded is deleted, although the pod and its Job still exist.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Requirements: []string{"4381-scheduling-completed-pods-release", "4381-scheduling-claims-of-jobs"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		claims.CreateTemplate(ctx, e, "template", devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		pods.CreateJob(ctx, e, "job", "template")
		first := pods.WaitForPodOfJob(ctx, e, "job", "it has none")
		pods.WaitForScheduled(ctx, e, first)
		pods.SetPhase(ctx, e, first, corev1.PodFailed)
		second := pods.WaitForPodOfJob(ctx, e, "job", "its first pod has failed", first)
		pods.WaitForScheduled(ctx, e, second)
		failed, next := pods.GetGeneratedClaim(ctx, e, first), pods.GetGeneratedClaim(ctx, e, second)
		gomega.Expect(next).NotTo(gomega.Equal(failed), "the second pod should have a claim of its own")
		claims.WaitForDeleted(ctx, e, failed, "its pod has failed")

		createPodFor(ctx, e, sim, "waiting", "card")
		pods.WaitForUnschedulable(ctx, e, "waiting", "the second pod of the job has its device")
		pods.SetPhase(ctx, e, second, corev1.PodSucceeded)
		pods.WaitForScheduled(ctx, e, "waiting")
		claims.WaitForDeleted(ctx, e, next, "its pod has succeeded")
	},
}
