// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/draconform/draconform/e2e/suite/env"
)

// other is a consumer of a claim that is no pod. kube-controller-manager does not know
// when such a consumer ceases to use the claim, and leaves it alone.
var other = resourceapi.ResourceClaimConsumerReference{APIGroup: "draconform.dev", Resource: "consumers", Name: "other"}

// Fill reserves an allocated claim for others than pods, so that it has as many consumers as
// it can have, until the returned function is called, or until the end of the spec.
func Fill(ctx context.Context, e *env.Env, claim string) (end func(context.Context)) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("reserving claim %s for as many consumers as possible", claim))
	end = func(ctx context.Context) {
		ginkgo.GinkgoHelper()
		ginkgo.By(fmt.Sprintf("removing the consumers of claim %s that are no pods", claim))
		isOther := func(r resourceapi.ResourceClaimConsumerReference) bool { return r.Resource == other.Resource }
		gomega.Expect(updateStatus(ctx, e, claim, func(status *resourceapi.ResourceClaimStatus) {
			status.ReservedFor = slices.DeleteFunc(status.ReservedFor, isOther)
		})).To(gomega.Or(gomega.Succeed(), gomega.Satisfy(apierrors.IsNotFound)))
	}
	ginkgo.DeferCleanup(end, ginkgo.NodeTimeout(e.Timeouts.Deletion))
	gomega.Expect(updateStatus(ctx, e, claim, func(status *resourceapi.ResourceClaimStatus) {
		for len(status.ReservedFor) < resourceapi.ResourceClaimReservedForMaxSize {
			one := other
			one.UID = uuid.NewUUID()
			status.ReservedFor = append(status.ReservedFor, one)
		}
	})).To(gomega.Succeed())
	return end
}
