// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// createPodWith creates a pod with options, and a claim of the same name that it
// uses.
func createPodWith(ctx context.Context, e *env.Env, pod string, options pods.Options, claim resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	_, err := claims.Create(ctx, e, pod, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	pods.CreateUsingClaims(ctx, e, pod, options, pod)
}

// addGate adds a scheduling gate to a pod.
func addGate(pod *corev1.PodSpec) {
	pod.SchedulingGates = []corev1.PodSchedulingGate{{Name: "draconform.dev/gate"}}
}

// unused is the name of a claim that is allocated and that nothing uses.
const unused = "unused"

// createUnused creates two nodes with a device card each, and the claim unused,
// which is allocated the card of the first node. That node also has the device
// probe.
func createUnused(ctx context.Context, e *env.Env) *simulated.Nodes {
	ginkgo.GinkgoHelper()
	sim := simulated.CreateNodes(ctx, e, 2)
	sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "probe"))
	sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[1]}, fixture.Devices("card"))
	_, err := claims.Create(ctx, e, unused, devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	allocateOnFirstNode(ctx, e, sim, unused, "card")
	return sim
}

// allocateOnFirstNode allocates a device of the first node to a claim for one device.
func allocateOnFirstNode(ctx context.Context, e *env.Env, sim *simulated.Nodes, claim, device string) {
	ginkgo.GinkgoHelper()
	allocation := fixture.Allocation(sim.Driver, sim.Names[0], "device", device)
	// kube-scheduler adds a time that is missing together with the next consumer, which
	// the API server rejects if the claim has one already.
	allocation.AllocationTimestamp = ptr.To(metav1.Now())
	gomega.Expect(claims.Allocate(ctx, e, claim, allocation)).To(gomega.Succeed())
}

// expectMoved waits until the pod with the claim unused is scheduled, and asserts
// that this is on the second node.
func expectMoved(ctx context.Context, e *env.Env, sim *simulated.Nodes) {
	ginkgo.GinkgoHelper()
	pods.WaitForScheduled(ctx, e, "pod")
	gomega.Expect(claims.GetNodesOfAllocation(ctx, e, unused, sim.Names)).To(gomega.Equal(sim.Names[1:]), "the claim should be allocated on the only node that suits the pod")
}
