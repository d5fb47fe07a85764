// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package workloadclaims

import (
	"context"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// podGroupClaimsDoNotChange creates a PodGroup with a claim, and tries to change
// its claims in dry runs. A change of its labels must be accepted.
var podGroupClaimsDoNotChange = suite.Spec{
	ID:           "pod-group-claims-do-not-change",
	Description:  "The API server rejects changes of the claims of a PodGroup: more claims, none, and another claim or template for the same name.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     claimFeatures,
	Component:    env.Cluster,
	Needs:        groupsOfTheSpec,
	Requirements: []string{"5729-claims-do-not-change"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		before := createGroup(ctx, e, sim).Spec.ResourceClaims
		relabel := func(g *schedulingapi.PodGroup) {
			metav1.SetMetaDataLabel(&g.ObjectMeta, "draconform.dev/changed", "true")
		}
		gomega.Expect(dryRunUpdate(ctx, e, relabel)).To(gomega.Succeed(), "the API server should accept another label of a pod group")
		for _, change := range []struct {
			what   string
			claims []schedulingapi.PodGroupResourceClaim
		}{
			{"one more claim", append(slices.Clone(before), schedulingapi.PodGroupResourceClaim{Name: "made", ResourceClaimName: ptr.To("made")})},
			{"no claims", nil},
			{"another template", []schedulingapi.PodGroupResourceClaim{{Name: shared, ResourceClaimTemplateName: ptr.To("other")}}},
			{"a claim instead of the template", []schedulingapi.PodGroupResourceClaim{{Name: shared, ResourceClaimName: ptr.To("made")}}},
			{"another name of the claim", []schedulingapi.PodGroupResourceClaim{{Name: "other", ResourceClaimTemplateName: ptr.To(template)}}},
		} {
			ginkgo.By("changing the pod group as a dry run: " + change.what)
			err := dryRunUpdate(ctx, e, func(g *schedulingapi.PodGroup) { g.Spec.ResourceClaims = change.claims })
			gomega.Expect(dryrun.InvalidFields(err)).To(gomega.ContainElement(gomega.Satisfy(isOfClaims)), "the API server should reject %s of a pod group because of spec.resourceClaims: %v", change.what, err)
		}
	},
}

// isOfClaims reports whether a field of a PodGroup belongs to its claims.
func isOfClaims(field string) bool { return strings.HasPrefix(field, "spec.resourceClaims") }

// dryRunUpdate changes the PodGroup as a dry run. Controllers write its status, so
// that there may be conflicts.
func dryRunUpdate(ctx context.Context, e *env.Env, change func(*schedulingapi.PodGroup)) error {
	groups := e.Client.SchedulingV1beta1().PodGroups(e.Namespace)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		stored, err := groups.Get(ctx, group, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(stored)
		_, err = groups.Update(ctx, stored, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	})
}
