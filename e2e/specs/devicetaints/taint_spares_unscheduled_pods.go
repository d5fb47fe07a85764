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

// taintSparesUnscheduledPods taints the device of a running pod. Its claim is also reserved for
// a pod with a scheduling gate, as by a scheduler that could not bind the pod. Completed pods are
// not looked at: kube-controller-manager reserves a claim that is allocated anew also for these,
// so that they may be evicted.
var taintSparesUnscheduledPods = suite.Spec{
	ID:           "taint-spares-unscheduled-pods",
	Description:  "A pod that is not on a node yet is not deleted when the device of its claim gets a taint of the effect NoExecute. A running pod with the same claim is.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-evicts-running-pods-only"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createPodFor(ctx, e, sim, "card", "card")
		pods.WaitForScheduled(ctx, e, "card")
		pods.CreateUsingClaims(ctx, e, "waiting", pods.Options{Change: func(pod *corev1.PodSpec) {
			pod.SchedulingGates = []corev1.PodSchedulingGate{{Name: "draconform.dev/gate"}}
		}}, "card")
		gomega.Expect(claims.ReserveForPod(ctx, e, "card", "waiting")).To(gomega.Succeed())

		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"card": {noExecute}})
		pods.WaitForDisrupted(ctx, e, "the device of its claim has a taint of the effect NoExecute", "card")
		pods.ExpectNotEvicted(ctx, e, "it is on no node", "waiting")
	},
}
