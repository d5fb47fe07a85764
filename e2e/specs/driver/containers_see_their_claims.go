// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// containersSeeTheirClaims creates a pod with two claims, which have requests of the same
// name. One container uses both claims. The others use one of them each: one names all
// requests of its claim, which is as if it named the claim.
var containersSeeTheirClaims = suite.Spec{
	ID:           "containers-see-their-claims",
	Description:  "A container that names requests of a claim sees the devices of each of these requests, and not those of requests with the same name of another claim of the pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: containerCapabilities,
	Sees:         subject.Identified,
	Devices:      3,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-containers-name-requests", "4381-containers-name-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		same := e.Subject.Exclusive.Device
		createClaim(ctx, e, "one", devices.Request{Name: "device", Device: same}, devices.Request{Name: "more", Device: same})
		createClaim(ctx, e, "two", devices.Request{Name: "device", Device: same})
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Change: func(pod *corev1.PodSpec) {
			addContainer(pod, "one", 0, "device", "more")
			addContainer(pod, "two", 1, "device")
		}}, "one", "two")
		pods.WaitForRunning(ctx, e, "pod")
		for _, name := range []string{"one", "two"} {
			pods.ExpectContainerDevices(ctx, e, "pod", name, audit.Allocated(claims.Get(ctx, e, name)))
		}
	},
}

// createClaim creates a claim with requests.
func createClaim(ctx context.Context, e *env.Env, name string, requests ...devices.Request) {
	ginkgo.GinkgoHelper()
	_, err := claims.Create(ctx, e, name, devices.NewDeviceClaim(requests))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// addContainer adds a container to a pod that uses requests of its claim with this number.
func addContainer(pod *corev1.PodSpec, name string, claim int, requests ...string) {
	user := *pod.Containers[0].DeepCopy()
	user.Name, user.Resources.Claims = name, nil
	for _, request := range requests {
		user.Resources.Claims = append(user.Resources.Claims, corev1.ResourceClaim{Name: pods.ClaimOf(claim), Request: request})
	}
	pod.Containers = append(pod.Containers, user)
}
