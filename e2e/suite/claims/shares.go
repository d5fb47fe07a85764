// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
)

// CreateWithTwoShares creates a claim with one request for two shares, and allocates it
// two shares of the device of another claim with one share, which need no longer exist.
func CreateWithTwoShares(ctx context.Context, e *env.Env, name string, one *resourceapi.ResourceClaim) {
	ginkgo.GinkgoHelper()
	both := one.DeepCopy()
	both.Spec.Devices.Requests[0].Exactly.Count = 2
	_, err := Create(ctx, e, name, both.Spec.Devices)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	results := &both.Status.Allocation.Devices.Results
	*results = append(*results, *(*results)[0].DeepCopy())
	for i := range *results {
		(*results)[i].ShareID = ptr.To(uuid.NewUUID())
	}
	gomega.Expect(Allocate(ctx, e, name, both.Status.Allocation)).To(gomega.Succeed())
}
