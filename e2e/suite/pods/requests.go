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

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// CreateWithContainerPerRequest creates a claim and a pod of the same name. The
// main container of the pod uses the whole claim. For each request there is
// another container, with the name of the request, that uses only this request.
func CreateWithContainerPerRequest(ctx context.Context, e *env.Env, name string, requests []devices.Request) {
	ginkgo.GinkgoHelper()
	CreateWithContainerPerRequestOf(ctx, e, name, devices.NewDeviceClaim(requests))
}

// CreateWithContainerPerRequestOf is [CreateWithContainerPerRequest] for any claim
// spec.
func CreateWithContainerPerRequestOf(ctx context.Context, e *env.Env, name string, requested resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim %s, and a pod with a container for each of its requests", name))
	claim, err := claims.Create(ctx, e, name, requested)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = Create(ctx, e, name, Options{Change: func(pod *corev1.PodSpec) {
		for _, request := range requested.Requests {
			pod.Containers = append(pod.Containers, containerUsing(request.Name, pod.Containers[0], request.Name))
		}
	}}, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// containerUsing returns a container that uses one request of its claim.
func containerUsing(name string, like corev1.Container, request string) corev1.Container {
	user := *like.DeepCopy()
	user.Name, user.Resources.Claims[0].Request = name, request
	return user
}

// DryRunCreateWithRequest creates, as a dry run, a pod whose container uses one
// request of a claim. It returns the error of the API server.
func DryRunCreateWithRequest(ctx context.Context, e *env.Env, claim, request string) error {
	ginkgo.GinkgoHelper()
	pod, err := newPod(e, "try", nil)
	if err != nil {
		return err
	}
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "devices", ResourceClaimName: &claim}}
	pod.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "devices", Request: request}}
	_, err = e.Client.CoreV1().Pods(e.Namespace).Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}
