// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// generatedClaimsStayInStatus creates a pod that uses two templates, for which there are no
// devices, and removes one of the two generated claims from the status of the pod, as a client
// that writes an older status does.
var generatedClaimsStayInStatus = suite.Spec{
	ID:           "generated-claims-stay-in-status",
	Description:  "If the status of a pod loses one of its generated claims, it gets the same claim again, keeps the others meanwhile, and has all of them from then on.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.ControllerManager,
	Since:        "1.37", // Earlier controllers write only the claims that the status lacks, again and again.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-pod-gets-lost-names"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		createTemplate(ctx, e, "cards", fixture.RequestFor(sim, "card"))
		createTemplate(ctx, e, "disks", fixture.RequestFor(sim, "disk"))
		createPodFrom(ctx, e, "pod", map[string]string{"first": "cards", "last": "disks"})
		before := namesOf(waitForGeneratedClaims(ctx, e, "pod", "first", "last"))

		pods.SetGeneratedClaims(ctx, e, "pod", map[string]string{"first": before["first"]})
		after := namesOf(waitForGeneratedClaims(ctx, e, "pod", "first", "last"))
		gomega.Expect(after).To(gomega.Equal(before), "the pod should have the claims that were created for it")
		env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
			pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, "pod", metav1.GetOptions{})
			if err == nil && len(pod.Status.ResourceClaimStatuses) != len(before) {
				violation = fmt.Errorf("the status of pod pod has the claims %s", describe(pod.Status.ResourceClaimStatuses))
			}
			return violation, err
		}, "the status of the pod should keep both claims")
	},
}

// describe returns the names of the entries for which the status of a pod has claims.
func describe(statuses []corev1.PodResourceClaimStatus) string {
	names := make([]string, len(statuses))
	for i, status := range statuses {
		names[i] = status.Name
	}
	return fmt.Sprint(names)
}
