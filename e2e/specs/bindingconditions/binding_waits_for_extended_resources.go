// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingWaitsForExtendedResources publishes devices with binding conditions that
// provide an extended resource, and creates pods that request the resource. Two of them also
// have a claim, for a device that is ready first or that need not be made ready.
var bindingWaitsForExtendedResources = suite.Spec{
	ID:           "binding-waits-for-extended-resources",
	Description:  "A pod waits until the devices that provide its extended resources are ready, as it does for those of its claims.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.ExtendedResources}, bindingFeatures...),
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-waits-for-extended-resources"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fabric("card-0", "card-1", "card-2", "disk")
		inventory.Devices = append(inventory.Devices, fixture.Devices("plain").Devices...)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		sim.CreateExtendedResource(ctx, "card", "cards", fmt.Sprintf("device.attributes[%q].name.startsWith(%q)", sim.Driver, "card"))
		createPodWithCard(ctx, e, "pod")
		createPodWithCard(ctx, e, "with-disk", createClaimFor(ctx, e, sim, "disk"))
		createPodWithCard(ctx, e, "with-plain", createClaimFor(ctx, e, sim, "plain"))
		why, own := map[string]string{}, []string{}
		for _, pod := range []string{"pod", "with-disk", "with-plain"} {
			own = append(own, waitForOwnClaim(ctx, e, pod))
			why[pod] = "the device for its extended resource is not ready"
		}
		claims.WaitForAllocation(ctx, e, "disk", "its device is free")
		reportReady(ctx, e, "disk")
		expectWaiting(ctx, e, why)
		reportReady(ctx, e, own...)
		pods.WaitForScheduled(ctx, e, "pod", "with-disk", "with-plain")
	},
}

// createClaimFor creates a claim for a device, which has the name of the device.
func createClaimFor(ctx context.Context, e *env.Env, sim *simulated.Nodes, device string) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	claim, err := claims.Create(ctx, e, device, devices.NewDeviceClaim(fixture.RequestFor(sim, device)))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return claim
}

// createPodWithCard creates a pod that requests one of the extended resource card, and uses
// claims.
func createPodWithCard(ctx context.Context, e *env.Env, name string, used ...*resourceapi.ResourceClaim) {
	ginkgo.GinkgoHelper()
	_, err := pods.Create(ctx, e, name, pods.Options{Change: func(pod *corev1.PodSpec) {
		pods.RequestResources(&pod.Containers[0], map[corev1.ResourceName]int64{simulated.ExtendedResource(e, "card"): 1})
	}}, used...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// waitForOwnClaim waits until a pod owns an allocated claim, and returns its name. The
// status of the pod need not name the claim before the pod is bound.
func waitForOwnClaim(ctx context.Context, e *env.Env, pod string) string {
	ginkgo.GinkgoHelper()
	var name string
	gomega.Eventually(ctx, func(ctx context.Context) error {
		// The claim exists before the pod is bound, so the pod is read first.
		node := pods.GetNode(ctx, e, pod)
		owned := pods.ListOwnedClaims(ctx, e, pod)
		if node != "" && len(owned) == 0 {
			return gomega.StopTrying(fmt.Sprintf("pod %s was bound to node %s without devices for its extended resources", pod, node))
		}
		if len(owned) != 1 || owned[0].Status.Allocation == nil {
			return fmt.Errorf("it owns %d claims", len(owned))
		}
		name = owned[0].Name
		return nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "pod %s should own an allocated claim for its extended resources", pod)
	return name
}
