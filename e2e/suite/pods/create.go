// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// CreateWithConfiguredClaim creates a claim for one device with configuration,
// and a pod of the same name that uses it. An empty node allows all nodes.
func CreateWithConfiguredClaim(ctx context.Context, e *env.Env, name, node string, device subject.Device, config ...resourceapi.DeviceConfiguration) {
	ginkgo.GinkgoHelper()
	devices := devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: device}})
	for _, c := range config {
		devices.Config = append(devices.Config, resourceapi.DeviceClaimConfiguration{DeviceConfiguration: c})
	}
	CreateWithClaimOnNode(ctx, e, name, node, devices)
}

// CreateWithRequests creates a claim and a pod of the same name that uses it.
// It fails the spec if the API server rejects either of them. Constraints apply
// to the requests that they name, or to all requests.
func CreateWithRequests(ctx context.Context, e *env.Env, name string, requests []devices.Request, constraints ...resourceapi.DeviceConstraint) {
	ginkgo.GinkgoHelper()
	CreateWithClaim(ctx, e, name, devices.NewDeviceClaim(requests, constraints...))
}

// CreateWithClaim is [CreateWithRequests] for any claim spec.
func CreateWithClaim(ctx context.Context, e *env.Env, name string, devices resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	CreateWithClaimOnNode(ctx, e, name, "", devices)
}

// CreateWithClaimOnNode is [CreateWithClaim] for a pod that may only run on the
// given node. An empty node allows all nodes.
func CreateWithClaimOnNode(ctx context.Context, e *env.Env, name, node string, devices resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim and pod %s", name))
	claim, err := claims.Create(ctx, e, name, devices)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = Create(ctx, e, name, Options{Node: node}, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// CreateWithClaims creates claims and a pod that uses all of them. The name of
// a claim is the name of the pod with the number of the claim, from 0.
func CreateWithClaims(ctx context.Context, e *env.Env, pod string, devices ...resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s with %d claims", pod, len(devices)))
	_, err := Create(ctx, e, pod, Options{}, createClaims(ctx, e, pod, devices)...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// createClaims creates claims that are named after a pod and numbered from 0.
func createClaims(ctx context.Context, e *env.Env, pod string, devices []resourceapi.DeviceClaim) []*resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	var created []*resourceapi.ResourceClaim
	for i, d := range devices {
		claim, err := claims.Create(ctx, e, fmt.Sprintf("%s-%d", pod, i), d)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		created = append(created, claim)
	}
	return created
}

// CreateSharingClaim creates a claim for one device and the given number of
// pods that use it. The pods run on different nodes. It returns the names of
// the pods. A node in the options applies to the first pod only. It is scheduled before
// the others exist: a scheduler may try pods in any order, and another pod could get a
// device that the node does not reach.
func CreateSharingClaim(ctx context.Context, e *env.Env, name string, device subject.Device, pods int, options Options) []string {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim %s and %d pods", name, pods))
	claim, err := claims.Create(ctx, e, name, devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: device}}))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	options.Apart = pods > 1
	var names []string
	for i := range pods {
		names = append(names, fmt.Sprintf("%s-%d", name, i))
		_, err = Create(ctx, e, names[i], options, claim)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		if options.Node != "" && pods > 1 {
			WaitForScheduled(ctx, e, names[i])
		}
		options.Node = ""
	}
	return names
}

// CreateUsingClaims creates a pod that uses existing claims.
func CreateUsingClaims(ctx context.Context, e *env.Env, pod string, options Options, claimNames ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s, which uses claims %v", pod, claimNames))
	var used []*resourceapi.ResourceClaim
	for _, name := range claimNames {
		used = append(used, claims.Get(ctx, e, name))
	}
	_, err := Create(ctx, e, pod, options, used...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// GeneratedClaim is the name of the claim of [CreateFromClaimTemplate] in the
// pod.
const GeneratedClaim = "generated"

// UseTemplate makes [GeneratedClaim] the only claim of a pod, which its first container uses.
func UseTemplate(pod *corev1.PodSpec, template string) {
	pod.ResourceClaims = []corev1.PodResourceClaim{{Name: GeneratedClaim, ResourceClaimTemplateName: &template}}
	pod.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: GeneratedClaim}}
}

// CreateFromClaimTemplate creates a pod whose only claim is generated from an
// existing ResourceClaimTemplate. An empty node allows all nodes.
func CreateFromClaimTemplate(ctx context.Context, e *env.Env, name, template, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s, whose claim is generated from template %s", name, template))
	got, err := e.Client.ResourceV1().ResourceClaimTemplates(e.Namespace).Get(ctx, template, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = Create(ctx, e, name, Options{Node: node, generated: []resourceapi.DeviceClaim{got.Spec.Spec.Devices}, Change: func(pod *corev1.PodSpec) {
		UseTemplate(pod, template)
	}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}
