// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintSparesPodsThatDoNotRun taints two devices with a running pod each. The claim of one of
// them has been used by a pod that has completed. The claim of the other one is also reserved
// for a pod with a scheduling gate, as by a scheduler that could not bind the pod.
var taintSparesPodsThatDoNotRun = suite.Spec{
	ID:           "taint-spares-pods-that-do-not-run",
	Description:  "A pod that has completed, or that is not on a node yet, is not deleted when the device of its claim gets a taint of the effect NoExecute. Running pods with the same claim are.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-evicts-running-pods-only"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		createPodFor(ctx, e, sim, "completed", "card")
		createPodFor(ctx, e, sim, "neighbour", "disk")
		pods.WaitForScheduled(ctx, e, "completed", "neighbour")
		pods.SetPhase(ctx, e, "completed", corev1.PodSucceeded)
		claims.WaitForDeallocated(ctx, e, "completed")
		pods.CreateUsingClaims(ctx, e, "next", pods.Options{}, "completed")
		pods.WaitForScheduled(ctx, e, "next")
		pods.CreateUsingClaims(ctx, e, "waiting", pods.Options{Change: func(pod *corev1.PodSpec) {
			pod.SchedulingGates = []corev1.PodSchedulingGate{{Name: "draconform.dev/gate"}}
		}}, "neighbour")
		gomega.Expect(claims.ReserveForPod(ctx, e, "neighbour", "waiting")).To(gomega.Succeed())

		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"card": {noExecute}, "disk": {noExecute}})
		pods.WaitForDisrupted(ctx, e, "the device of its claim has a taint of the effect NoExecute", "next", "neighbour")
		pods.ExpectNotEvicted(ctx, e, "only running pods are evicted", "waiting", "completed")
	},
}
