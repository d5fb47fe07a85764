// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// note is the key of a label and an annotation of templates.
const note = "draconform.dev/note"

// createTemplate creates a template with a label and an annotation for its claims.
func createTemplate(ctx context.Context, e *env.Env, name string, requests []devices.Request) *resourceapi.ResourceClaimTemplate {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating template " + name)
	labels := maps.Clone(e.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[note] = name
	template := &resourceapi.ResourceClaimTemplate{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.Namespace, Labels: e.Labels},
		Spec: resourceapi.ResourceClaimTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: map[string]string{note: "of " + name}},
			Spec:       resourceapi.ResourceClaimSpec{Devices: devices.NewDeviceClaim(requests)},
		},
	}
	stored, err := e.Client.ResourceV1().ResourceClaimTemplates(e.Namespace).Create(ctx, template, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return stored
}

// createPodFrom creates a pod whose claims are created from templates. The keys are
// the names of the entries in the pod, the values those of the templates.
func createPodFrom(ctx context.Context, e *env.Env, pod string, templates map[string]string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating pod " + pod)
	created, err := pods.Create(ctx, e, pod, pods.Options{Change: func(spec *corev1.PodSpec) {
		for _, entry := range slices.Sorted(maps.Keys(templates)) {
			template := templates[entry]
			spec.ResourceClaims = append(spec.ResourceClaims, corev1.PodResourceClaim{Name: entry, ResourceClaimTemplateName: &template})
			resources := &spec.Containers[0].Resources
			resources.Claims = append(resources.Claims, corev1.ResourceClaim{Name: entry})
		}
	}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return created
}

// waitForGeneratedClaims waits until the status of a pod has a claim for each of its
// entries, and returns the claims by the names of the entries.
func waitForGeneratedClaims(ctx context.Context, e *env.Env, pod string, entries ...string) map[string]*resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	var statuses []corev1.PodResourceClaimStatus
	gomega.Eventually(ctx, func(ctx context.Context) ([]string, error) {
		got, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		statuses = got.Status.ResourceClaimStatuses
		var named []string
		for _, status := range statuses {
			if status.ResourceClaimName != nil {
				named = append(named, status.Name)
			}
		}
		return named, nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.ConsistOf(entries), "the status of pod %s should have a claim for each of its entries", pod)
	generated := map[string]*resourceapi.ResourceClaim{}
	for _, status := range statuses {
		claim, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, *status.ResourceClaimName, metav1.GetOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the claim for entry %s of pod %s should exist", status.Name, pod)
		generated[status.Name] = claim
	}
	return generated
}

// namesOf returns the names of generated claims, by the names of the entries.
func namesOf(generated map[string]*resourceapi.ResourceClaim) map[string]string {
	names := map[string]string{}
	for entry, claim := range generated {
		names[entry] = claim.Name
	}
	return names
}
