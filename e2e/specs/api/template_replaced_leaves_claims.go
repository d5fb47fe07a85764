// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"errors"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// templateReplacedLeavesClaims deletes a template after a claim was created from
// it, and creates another one with its name.
var templateReplacedLeavesClaims = suite.Spec{
	ID:           "template-replaced-leaves-claims",
	Description:  "A claim that was created from a template does not change when the template is replaced by another one of the same name. Pods that are created afterwards get claims from the new one.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-claims-outlive-template"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		before := createTemplate(ctx, e, "template", fixture.RequestFor(sim, "card"))
		createPodFrom(ctx, e, "early", map[string]string{"entry": "template"})
		early := waitForGeneratedClaims(ctx, e, "early", "entry")["entry"]
		pods.WaitForScheduled(ctx, e, "early")

		gomega.Expect(e.Client.ResourceV1().ResourceClaimTemplates(e.Namespace).Delete(ctx, "template", metav1.DeleteOptions{})).To(gomega.Succeed())
		after := createTemplate(ctx, e, "template", fixture.RequestFor(sim, "disk"))
		pods.WaitForScheduled(ctx, e, createUntilNew(ctx, e, after))
		env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
			got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, early.Name, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			if !equality.Semantic.DeepEqual(got.Spec, before.Spec.Spec) || got.UID != early.UID {
				return errors.New("its spec is another one, or it is another claim"), nil
			}
			return nil, nil
		}, "the claim of pod early should stay as it was created, because a template that is replaced changes no claims")
	},
}

// createUntilNew creates pods that use a template, one after the other, until a claim
// has the spec of the template, and returns the name of its pod. The controller watches
// pods and templates separately: it may observe a pod before the template, even though
// that is older, and create the claim from the one before.
func createUntilNew(ctx context.Context, e *env.Env, template *resourceapi.ResourceClaimTemplate) string {
	ginkgo.GinkgoHelper()
	var pod string
	next := 0
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod = fmt.Sprintf("late-%d", next)
		next++
		createPodFrom(ctx, e, pod, map[string]string{"entry": template.Name})
		claim := waitForGeneratedClaims(ctx, e, pod, "entry")["entry"]
		if equality.Semantic.DeepEqual(claim.Spec, template.Spec.Spec) {
			return nil
		}
		pods.Delete(ctx, e, pod)
		return fmt.Errorf("claim %s has the spec %v", claim.Name, claim.Spec)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "claims of later pods should have the spec of the new template")
	return pod
}
