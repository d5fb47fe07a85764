// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/pods"
)

// CreateTemplate creates a ResourceClaimTemplate for claims of the driver under test.
func (w *Workers) CreateTemplate(ctx context.Context, name string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating claim template " + name)
	gomega.Expect(w.TryCreateTemplate(ctx, name, w.name)).To(gomega.Succeed())
}

// TryCreateTemplate creates a ResourceClaimTemplate for claims of a driver and returns the
// error of the API server.
func (c *Cluster) TryCreateTemplate(ctx context.Context, name, driver string) error {
	spec := object{"spec": ClaimSpec(driver, c.Class)}
	return c.create(ctx, templates, "ResourceClaimTemplate", object{"name": name, "labels": c.env.Labels}, spec)
}

// CreatePodFromTemplate creates a pod for a node, whose claim is generated from a template.
func (w *Workers) CreatePodFromTemplate(ctx context.Context, name, node, template string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s with a claim of template %s", name, template))
	_, err := pods.Create(ctx, w.env, name, pods.Options{Node: node, Change: func(spec *corev1.PodSpec) {
		pods.UseTemplate(spec, template)
	}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// WaitForGeneratedClaim waits until the claim of a pod is generated, and returns its name.
func (w *Workers) WaitForGeneratedClaim(ctx context.Context, pod string) string {
	ginkgo.GinkgoHelper()
	name := pods.WaitForGeneratedClaim(ctx, w.env, pod)
	// It is removed with the pod. If it is not, the cleanup reports it.
	w.claims = append(w.claims, name)
	return name
}

// CreatePodOfTemplates creates a pod with a claim that is generated from a template for each
// of some names, which the claims have in the pod.
func (c *Cluster) CreatePodOfTemplates(ctx context.Context, name, template string, inPod ...string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s with claims %v of template %s", name, inPod, template))
	pod, err := pods.Create(ctx, c.env, name, pods.Options{Change: func(spec *corev1.PodSpec) {
		for _, claim := range inPod {
			spec.ResourceClaims = append(spec.ResourceClaims, corev1.PodResourceClaim{Name: claim, ResourceClaimTemplateName: &template})
			resources := &spec.Containers[0].Resources
			resources.Claims = append(resources.Claims, corev1.ResourceClaim{Name: claim})
		}
	}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return pod
}

// WaitForGeneratedClaims waits until claims of a pod are generated, and returns their names
// by those that they have in the pod.
func (c *Cluster) WaitForGeneratedClaims(ctx context.Context, pod string, inPod ...string) map[string]string {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the claims %v of pod %s are generated", inPod, pod))
	names := map[string]string{}
	gomega.Eventually(ctx, func(ctx context.Context) error {
		found, err := c.env.Client.CoreV1().Pods(c.env.Namespace).Get(ctx, pod, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, status := range found.Status.ResourceClaimStatuses {
			names[status.Name] = ptr.Deref(status.ResourceClaimName, "")
		}
		for _, claim := range inPod {
			if names[claim] == "" {
				return fmt.Errorf("claim %s of pod %s is not generated", claim, pod)
			}
		}
		return nil
	}).WithTimeout(c.env.Timeouts.PodStart).Should(gomega.Succeed(), "a claim should be generated for each entry")
	for _, name := range names {
		c.claims = append(c.claims, name)
	}
	return names
}
