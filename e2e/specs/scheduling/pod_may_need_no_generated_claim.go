// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"slices"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// podMayNeedNoGeneratedClaim creates a pod for a template that does not exist. While a
// scheduling gate holds it back, its status gets an entry without the name of a claim, as from
// a controller that has found that none is needed. Two more pods also name a claim, before or
// after this entry.
var podMayNeedNoGeneratedClaim = suite.Spec{
	ID:           "pod-may-need-no-generated-claim",
	Description:  "A pod is scheduled without a generated claim if its status states that it needs none. It needs its other claims.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-unneeded-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		createGatedFromTemplate(ctx, e, "pod", "absent")
		createGatedBesideClaim(ctx, e, sim, "named-first", "card", true)
		createGatedBesideClaim(ctx, e, sim, "named-last", "disk", false)
		for _, pod := range []string{"pod", "named-first", "named-last"} {
			pods.SetGeneratedClaimUnneeded(ctx, e, pod)
			pods.RemoveSchedulingGates(ctx, e, pod)
			pods.WaitForScheduled(ctx, e, pod)
		}
	},
}

// createGatedBesideClaim is [createGatedFromTemplate] for a template that does not exist, and
// a pod that also names a claim for a device, which has the name of the pod. This is the first
// or the last claim of the pod.
func createGatedBesideClaim(ctx context.Context, e *env.Env, sim *simulated.Nodes, pod, device string, first bool) {
	ginkgo.GinkgoHelper()
	createPodWith(ctx, e, pod, pods.Options{Change: func(spec *corev1.PodSpec) {
		unneededFirst(spec)
		if first {
			slices.Reverse(spec.ResourceClaims)
		}
	}}, devices.NewDeviceClaim(fixture.RequestFor(sim, device)))
}
