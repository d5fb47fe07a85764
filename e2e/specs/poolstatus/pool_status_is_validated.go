// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"
	"strings"

	"github.com/onsi/gomega"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// poolStatusIsValidated creates requests in dry runs, and expects defaults, or
// validation errors for the field with a mistake.
var poolStatusIsValidated = suite.Spec{
	ID:          "pool-status-is-validated",
	Description: "A request for the status of pools names a driver and at most one pool, and has a limit of 1 to 1000, by default 100.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    statusFeatures,
	Component:   env.Cluster,
	Needs:       simulatedNodes, // Other runs have no right to create requests.
	Requirements: []string{
		"5677-request-is-valid", "5677-default-limit",
	},
	Body: func(ctx context.Context, e *env.Env) {
		all := newRequests(e)
		const driver = "try.draconform.dev"
		try := func(spec resourcev1alpha3.ResourcePoolStatusRequestSpec) (*resourcev1alpha3.ResourcePoolStatusRequest, error) {
			request := &resourcev1alpha3.ResourcePoolStatusRequest{ObjectMeta: metav1.ObjectMeta{Name: e.UniqueName() + "-try", Labels: e.Labels}, Spec: spec}
			return all.client().Create(ctx, request, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		}
		for _, accepted := range []resourcev1alpha3.ResourcePoolStatusRequestSpec{
			{Driver: driver}, {Driver: driver, PoolName: ptr.To("a/b.example.com"), Limit: ptr.To[int32](1)}, {Driver: driver, Limit: ptr.To[int32](1000)},
		} {
			stored, err := try(accepted)
			gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the API server should accept %+v", accepted)
			gomega.Expect(ptr.Deref(stored.Spec.Limit, 0)).To(gomega.Equal(ptr.Deref(accepted.Limit, 100)), "the limit, or its default")
		}
		for field, rejected := range map[string][]resourcev1alpha3.ResourcePoolStatusRequestSpec{
			"spec.driver":   {{}, {Driver: "no_driver"}},
			"spec.poolName": {{Driver: driver, PoolName: ptr.To("")}, {Driver: driver, PoolName: ptr.To("no_pool")}, {Driver: driver, PoolName: ptr.To(strings.Repeat("x", 254))}},
			"spec.limit":    {{Driver: driver, Limit: ptr.To[int32](0)}, {Driver: driver, Limit: ptr.To[int32](1001)}},
		} {
			for _, spec := range rejected {
				_, err := try(spec)
				gomega.Expect(dryrun.InvalidFields(err)).To(gomega.ContainElement(field), "the API server should reject %+v: %v", spec, err)
			}
		}
	},
}
