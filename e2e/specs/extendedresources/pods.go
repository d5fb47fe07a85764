// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// amounts are how much of extended resources a container requests.
type amounts = map[corev1.ResourceName]int64

// createPod creates a pod whose only container requests one of each of several
// extended resources.
func createPod(ctx context.Context, e *env.Env, pod string, resources ...corev1.ResourceName) {
	ginkgo.GinkgoHelper()
	one := amounts{}
	for _, resource := range resources {
		one[resource] = 1
	}
	pods.CreateWithResources(ctx, e, pod, pods.ResourceUser{Container: pods.MainContainer, Amounts: one})
}

// named returns a CEL expression for the devices whose name begins with a text,
// see [fixture.Devices].
func named(e *env.Env, prefix string) string {
	return fmt.Sprintf("device.attributes[%q].name.startsWith(%q)", simulated.DriverNames(e)[0], prefix)
}

// implicitName returns the name of the extended resource that every DeviceClass
// has (API ResourceDeviceClassPrefix).
func implicitName(class subject.Device) corev1.ResourceName {
	return corev1.ResourceName(resourceapi.ResourceDeviceClassPrefix + class.Class)
}

// waitForDevices waits until a pod is scheduled, and asserts the names of the
// devices that provide its extended resources.
func waitForDevices(ctx context.Context, e *env.Env, pod, because string, want ...string) {
	ginkgo.GinkgoHelper()
	pods.WaitForScheduled(ctx, e, pod)
	claim, _ := pods.WaitForExtendedClaim(ctx, e, pod)
	var got []string
	for _, id := range audit.Allocated(claim) {
		got = append(got, id.Device)
	}
	gomega.Expect(got).To(gomega.ConsistOf(want), "the devices for the extended resources of pod %s should be %v, because %s", pod, want, because)
}

// expectNoClaim asserts that a scheduled pod has no claim for extended resources.
func expectNoClaim(ctx context.Context, e *env.Env, pod, because string) {
	ginkgo.GinkgoHelper()
	claims := pods.ListOwnedClaims(ctx, e, pod)
	var names []string
	for _, claim := range claims {
		names = append(names, fmt.Sprintf("%s with %v", claim.Name, audit.Allocated(&claim)))
	}
	gomega.Expect(names).To(gomega.BeEmpty(), "pod %s should own no claims, because %s", pod, because)
}

// expectOneClaim asserts that a scheduled pod owns one claim, which its status names
// and which is reserved for the pod. Claims of earlier attempts may be deleted and still
// have to be freed.
func expectOneClaim(ctx context.Context, e *env.Env, pod string) {
	ginkgo.GinkgoHelper()
	claim, _ := pods.WaitForExtendedClaim(ctx, e, pod)
	var owned []resourceapi.ResourceClaim
	gomega.Eventually(ctx, func(ctx context.Context) []resourceapi.ResourceClaim {
		owned = pods.ListOwnedClaims(ctx, e, pod)
		return owned
	}).WithTimeout(e.Timeouts.Deletion).Should(gomega.HaveLen(1), "pod %s should own one claim for all of its extended resources", pod)
	gomega.Expect(owned[0].Name).To(gomega.Equal(claim.Name), "the status of the pod should name the claim that it owns")
	var users []string
	for _, user := range claim.Status.ReservedFor {
		users = append(users, user.Resource+"/"+user.Name)
	}
	gomega.Expect(users).To(gomega.ConsistOf("pods/"+pod), "claim %s should be reserved for the pod", claim.Name)
}
