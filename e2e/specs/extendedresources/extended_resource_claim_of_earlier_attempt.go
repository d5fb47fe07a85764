// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceClaimOfEarlierAttempt creates a pod for the only device of an
// extended resource, and the claim that a scheduler would have created for it before
// it was stopped. Then the pod may be scheduled. A scheduler may delete the claim or
// use it.
var extendedResourceClaimOfEarlierAttempt = suite.Spec{
	ID:           "extended-resource-claim-of-earlier-attempt",
	Description:  "A claim for the extended resources of a pod that a scheduler left before it bound the pod does not keep the pod from its device. When it is bound, the pod owns one claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.37", // Until 1.36, the scheduler deletes such a claim and does not retry the pod then.
	Requirements: []string{"5004-claim-of-earlier-attempt"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		class := sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		pod, err := pods.Create(ctx, e, "pod", pods.Options{Change: func(pod *corev1.PodSpec) {
			pod.SchedulingGates = []corev1.PodSchedulingGate{{Name: "draconform.dev/gate"}}
			pods.RequestResources(&pod.Containers[0], amounts{simulated.ExtendedResource(e, "card"): 1})
		}})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		leaveClaim(ctx, e, sim, pod, fixture.One(class), "card")
		pods.RemoveSchedulingGates(ctx, e, "pod")
		waitForDevices(ctx, e, "pod", "it is the only one", "card")
		expectOneClaim(ctx, e, "pod")
	},
}

// leaveClaim creates a claim for extended resources of a pod that is allocated a
// device of the first node and reserved for the pod.
func leaveClaim(ctx context.Context, e *env.Env, sim *simulated.Nodes, pod *corev1.Pod, request []devices.Request, device string) {
	ginkgo.GinkgoHelper()
	request[0].Name = "container-0-request-0"
	claim := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{
			Name: "left", Namespace: e.Namespace, Labels: e.Labels, Finalizers: []string{resourceapi.Finalizer},
			Annotations:     map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true)}},
		},
		Spec: resourceapi.ResourceClaimSpec{Devices: devices.NewDeviceClaim(request)},
	}
	_, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Create(ctx, claim, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(claims.Allocate(ctx, e, claim.Name, fixture.Allocation(sim.Driver, sim.Names[0], request[0].Name, device))).To(gomega.Succeed())
	gomega.Expect(claims.ReserveForPod(ctx, e, claim.Name, pod.Name)).To(gomega.Succeed())
}
