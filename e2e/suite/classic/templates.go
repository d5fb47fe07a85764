// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite/pods"
)

// CreateTemplate creates a ResourceClaimTemplate for claims of the driver under test.
func (w *Workers) CreateTemplate(ctx context.Context, name string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating claim template " + name)
	spec := object{"spec": ClaimSpec(w.name, w.Class)}
	gomega.Expect(w.create(ctx, templates, "ResourceClaimTemplate", object{"name": name, "labels": w.env.Labels}, spec)).To(gomega.Succeed())
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
