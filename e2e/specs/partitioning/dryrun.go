// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite/env"
)

// dryRunCreate creates a ResourceSlice in a dry run. It returns the slice as
// the API server would store it, or the validation error. By default, the slice
// is the only one of its pool.
func dryRunCreate(ctx context.Context, e *env.Env, spec resourceapi.ResourceSliceSpec) (*resourceapi.ResourceSlice, error) {
	spec.Driver = e.UniqueName() + ".draconform.dev"
	if spec.Pool.Name == "" {
		spec.Pool = resourceapi.ResourcePool{Name: "tried", Generation: 1, ResourceSliceCount: 1}
	}
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{GenerateName: e.UniqueName() + "-"}, Spec: spec}
	return e.Client.ResourceV1().ResourceSlices().Create(ctx, slice, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

// expectAccepted asserts that the API server accepts a slice. It returns the
// spec that the API server would store.
func expectAccepted(ctx context.Context, e *env.Env, what string, spec resourceapi.ResourceSliceSpec) resourceapi.ResourceSliceSpec {
	ginkgo.GinkgoHelper()
	stored, err := dryRunCreate(ctx, e, spec)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the API server should accept %s", what)
	return stored.Spec
}

// expectRejected asserts that the API server rejects a slice as invalid because
// of a field or one of its entries. Some releases report the entry and newer
// ones the field.
func expectRejected(ctx context.Context, e *env.Env, what, field string, spec resourceapi.ResourceSliceSpec) {
	ginkgo.GinkgoHelper()
	_, err := dryRunCreate(ctx, e, spec)
	gomega.Expect(dryrun.InvalidFields(err)).To(gomega.ContainElement(gomega.Or(gomega.Equal(field), gomega.HavePrefix(field+"["))), "the API server should reject %s as invalid: %v", what, err)
}
