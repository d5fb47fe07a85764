// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// createGatedFromTemplate creates a pod with a scheduling gate, whose only claim is
// generated from a template, which need not exist.
func createGatedFromTemplate(ctx context.Context, e *env.Env, pod, template string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating pod " + pod + ", with a scheduling gate, and a claim from template " + template)
	_, err := pods.Create(ctx, e, pod, pods.Options{Change: func(spec *corev1.PodSpec) {
		addGate(spec)
		spec.ResourceClaims = []corev1.PodResourceClaim{{Name: pods.GeneratedClaim, ResourceClaimTemplateName: &template}}
		spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: pods.GeneratedClaim}}
	}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// waitForGeneratedClaim waits until the status of a pod has the name of its generated claim,
// and returns the name.
func waitForGeneratedClaim(ctx context.Context, e *env.Env, pod string) (name string) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) ([]string, error) {
		got, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		names := pods.ClaimNames(got)
		if len(names) > 0 {
			name = names[0]
		}
		return names, nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.HaveLen(1), "a claim should be generated for pod %s", pod)
	return name
}
