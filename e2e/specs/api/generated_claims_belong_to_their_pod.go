// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// generatedClaimsBelongToTheirPod creates two pods that use two templates each,
// under names of their own, and reads the claims of both pods.
var generatedClaimsBelongToTheirPod = suite.Spec{
	ID:           "generated-claims-belong-to-their-pod",
	Description:  "For each entry of a pod with a template, a claim with a unique name is created, with the spec, labels and annotations of the template. Its controller is the pod, its annotation has the name of the entry, and the status of the pod has the name of the claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-claim-from-template", "4381-generated-name", "4381-claim-of-pod", "4381-claim-names-its-entry", "4381-pod-names-its-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-1", "card-2", "disk"))
		templates := map[string]*resourceapi.ResourceClaimTemplate{
			"card": createTemplate(ctx, e, "cards", fixture.One(fixture.SubRequestFor(sim, "card").Device)),
			"disk": createTemplate(ctx, e, "disks", fixture.RequestFor(sim, "disk")),
		}
		names := map[string]bool{}
		for pod, entries := range map[string]map[string]string{"first": {"card": "cards", "disk": "disks"}, "second": {"card": "cards"}} {
			created := createPodFrom(ctx, e, pod, entries)
			for entry, claim := range waitForGeneratedClaims(ctx, e, pod, slices.Collect(maps.Keys(entries))...) {
				gomega.Expect(names).NotTo(gomega.HaveKey(claim.Name), "each claim should have a name of its own")
				names[claim.Name] = true
				expectGenerated(created, entry, templates[entry], claim)
			}
			pods.WaitForScheduled(ctx, e, pod)
		}
	},
}

// expectGenerated asserts the metadata and the spec of a claim that was created
// from a template for an entry of a pod.
func expectGenerated(pod *corev1.Pod, entry string, template *resourceapi.ResourceClaimTemplate, claim *resourceapi.ResourceClaim) {
	ginkgo.GinkgoHelper()
	of := fmt.Sprintf("claim %s of entry %s of pod %s", claim.Name, entry, pod.Name)
	gomega.Expect(claim.Name).To(gomega.And(gomega.ContainSubstring(pod.Name), gomega.ContainSubstring(entry)), "the name of %s should be formed from both names", of)
	owner := metav1.GetControllerOf(claim)
	gomega.Expect(owner).NotTo(gomega.BeNil(), "%s should have a controller", of)
	gomega.Expect(*owner).To(gomega.And(
		gomega.HaveField("APIVersion", "v1"), gomega.HaveField("Kind", "Pod"), gomega.HaveField("Name", pod.Name), gomega.HaveField("UID", pod.UID),
	), "the controller of %s should be the pod", of)
	gomega.Expect(claim.Annotations).To(gomega.HaveKeyWithValue(resourceapi.PodResourceClaimAnnotation, entry), "%s should name the entry", of)
	for key, value := range template.Spec.Annotations {
		gomega.Expect(claim.Annotations).To(gomega.HaveKeyWithValue(key, value), "%s should have the annotations of its template", of)
	}
	for key, value := range template.Spec.Labels {
		gomega.Expect(claim.Labels).To(gomega.HaveKeyWithValue(key, value), "%s should have the labels of its template", of)
	}
	gomega.Expect(claim.Spec).To(gomega.Equal(template.Spec.Spec), "%s should have the spec of its template", of)
}
