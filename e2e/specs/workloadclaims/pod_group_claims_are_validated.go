// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package workloadclaims

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// podGroupClaimsAreValidated creates PodGroups with claims in dry runs, and expects
// that the API server keeps or rejects the claims.
var podGroupClaimsAreValidated = suite.Spec{
	ID:           "pod-group-claims-are-validated",
	Description:  "The API server keeps up to four claims of a PodGroup, and rejects more, the same name twice, and claims that are neither by the name of a claim nor by that of a template, or by both.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     claimFeatures,
	Component:    env.Cluster,
	Requirements: []string{"5729-claims-are-valid"},
	Body: func(ctx context.Context, e *env.Env) {
		var problems []string
		for _, test := range groupsWithClaims() {
			if problem := test.check(ctx, e); problem != "" {
				problems = append(problems, test.name+": "+problem)
			}
		}
		if len(problems) > 0 {
			ginkgo.Fail("the API server should accept and reject claims of pod groups as specified:\n" + strings.Join(problems, "\n"))
		}
	},
}

// groupWithClaims is a PodGroup that an API server must accept, or reject because of
// its claims.
type groupWithClaims struct {
	name     string
	rejected bool
	claims   []schedulingapi.PodGroupResourceClaim
}

func groupsWithClaims() []groupWithClaims {
	made := func(name string) schedulingapi.PodGroupResourceClaim {
		return schedulingapi.PodGroupResourceClaim{Name: name, ResourceClaimName: ptr.To("made")}
	}
	generated := schedulingapi.PodGroupResourceClaim{Name: "generated", ResourceClaimTemplateName: ptr.To(template)}
	both := made("both")
	both.ResourceClaimTemplateName = ptr.To(template)
	four := []schedulingapi.PodGroupResourceClaim{made("a"), made("b"), made("c"), generated}
	return []groupWithClaims{
		{name: "four claims", claims: four},
		{name: "five claims", claims: append(slices.Clone(four), made("d")), rejected: true},
		{name: "the same name twice", claims: []schedulingapi.PodGroupResourceClaim{made("a"), made("a")}, rejected: true},
		{name: "a claim and a template", claims: []schedulingapi.PodGroupResourceClaim{both}, rejected: true},
		{name: "neither a claim nor a template", claims: []schedulingapi.PodGroupResourceClaim{{Name: "none"}}, rejected: true},
	}
}

// check returns what is wrong with the API server's handling of the group, or an
// empty string.
func (g groupWithClaims) check(ctx context.Context, e *env.Env) string {
	ginkgo.By("creating a pod group as a dry run: " + g.name)
	stored, err := e.Client.SchedulingV1beta1().PodGroups(e.Namespace).Create(ctx, &schedulingapi.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Name: "try", Namespace: e.Namespace, Labels: e.Labels},
		Spec: schedulingapi.PodGroupSpec{
			SchedulingPolicy: schedulingapi.PodGroupSchedulingPolicy{Basic: &schedulingapi.BasicSchedulingPolicy{}}, ResourceClaims: g.claims,
		},
	}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	switch {
	case g.rejected && err == nil:
		return "is accepted, and should be rejected because of spec.resourceClaims"
	case g.rejected && !slices.ContainsFunc(dryrun.InvalidFields(err), isOfClaims):
		return fmt.Sprintf("should be rejected because of spec.resourceClaims: %v", err)
	case !g.rejected && err != nil:
		return fmt.Sprintf("should be accepted: %v", err)
	case !g.rejected && len(stored.Spec.ResourceClaims) != len(g.claims):
		return fmt.Sprintf("should keep %d claims, and keeps %d", len(g.claims), len(stored.Spec.ResourceClaims))
	}
	return ""
}
