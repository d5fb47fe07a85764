// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	claims := listOwned(ctx, e, pod)
	var names []string
	for _, claim := range claims {
		names = append(names, fmt.Sprintf("%s with %v", claim.Name, audit.Allocated(&claim)))
	}
	gomega.Expect(names).To(gomega.BeEmpty(), "pod %s should own no claims, because %s", pod, because)
}

// listOwned returns the claims that a pod owns.
func listOwned(ctx context.Context, e *env.Env, name string) []resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	all, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).List(ctx, metav1.ListOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return slices.DeleteFunc(all.Items, func(claim resourceapi.ResourceClaim) bool { return !metav1.IsControlledBy(&claim, pod) })
}
