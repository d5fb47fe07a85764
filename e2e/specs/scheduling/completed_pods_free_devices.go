// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// completedPodsFreeDevices schedules two pods, for whose devices others wait. The second
// one has two claims, and an entry for a claim that it does not need. The first pod
// succeeds, and then the second one fails. Of two further pods with a common claim, one
// succeeds after the other. None of them is deleted.
var completedPodsFreeDevices = suite.Spec{
	ID:           "completed-pods-free-devices",
	Description:  "When a pod has succeeded or failed, its devices are allocated for pods that wait, although the pod and its claims still exist. A claim that another pod uses stays reserved for that pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-completed-pods-release"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk", "tape", "board"))
		createPodFor(ctx, e, sim, "succeeds", "card")
		createWithThreeEntries(ctx, e, sim, "fails", "disk", "tape")
		createPodFor(ctx, e, sim, "shared", "board")
		pods.WaitForScheduled(ctx, e, "succeeds", "fails", "shared")
		pods.CreateUsingClaims(ctx, e, "sharer", pods.Options{}, "shared")
		pods.WaitForScheduled(ctx, e, "sharer")
		because := map[string]string{}
		for _, device := range []string{"card", "disk", "tape", "board"} {
			createPodFor(ctx, e, sim, "next-"+device, device)
			because["next-"+device] = "no pod with its device has completed"
		}
		pods.WaitForEachUnschedulable(ctx, e, because)
		pods.SetPhase(ctx, e, "succeeds", corev1.PodSucceeded)
		pods.WaitForScheduled(ctx, e, "next-card")
		pods.WaitForAllUnschedulable(ctx, e, "the pod with their devices has not completed", "next-disk", "next-tape")
		pods.SetPhase(ctx, e, "fails", corev1.PodFailed)
		pods.WaitForScheduled(ctx, e, "next-disk", "next-tape")
		pods.SetPhase(ctx, e, "shared", corev1.PodSucceeded)
		claims.WaitForConsumers(ctx, e, "shared", "one of its two pods has completed", 1)
		pods.WaitForUnschedulable(ctx, e, "next-board", "one of the pods with its device has not completed")
		pods.SetPhase(ctx, e, "sharer", corev1.PodSucceeded)
		pods.WaitForScheduled(ctx, e, "next-board")
	},
}

// createWithThreeEntries creates a pod with claims for two devices, which have the names of
// the pod and of the devices. Its first entry is for a generated claim that it does not need.
func createWithThreeEntries(ctx context.Context, e *env.Env, sim *simulated.Nodes, pod string, devicesOf ...string) {
	ginkgo.GinkgoHelper()
	var used []*resourceapi.ResourceClaim
	for _, device := range devicesOf {
		claim, err := claims.Create(ctx, e, pod+"-"+device, devices.NewDeviceClaim(fixture.RequestFor(sim, device)))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		used = append(used, claim)
	}
	_, err := pods.Create(ctx, e, pod, pods.Options{Change: unneededFirst}, used...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	pods.SetGeneratedClaimUnneeded(ctx, e, pod)
	pods.RemoveSchedulingGates(ctx, e, pod)
}

// unneededFirst adds a scheduling gate to a pod, and an entry for a generated claim before
// the others, whose template does not exist.
func unneededFirst(spec *corev1.PodSpec) {
	addGate(spec)
	entries, uses := spec.ResourceClaims, spec.Containers[0].Resources.Claims
	pods.UseTemplate(spec, "absent")
	spec.ResourceClaims = append(spec.ResourceClaims, entries...)
	spec.Containers[0].Resources.Claims = append(spec.Containers[0].Resources.Claims, uses...)
}
