// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package expect has assertions on pods and claims of specs of several
// profiles.
package expect

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// AllocatedFor asserts the request names in the allocation results of a claim,
// one for each device.
func AllocatedFor(ctx context.Context, e *env.Env, claim, because string, want ...string) {
	ginkgo.GinkgoHelper()
	var got []string
	for _, result := range claims.GetAllocation(ctx, e, claim).Results {
		got = append(got, result.Request)
	}
	gomega.Expect(got).To(gomega.ConsistOf(want), fmt.Sprintf("the devices of claim %s should be for %v, because %s", claim, want, because))
}

// ScheduledFor asserts that a pod on simulated nodes is scheduled, and checks
// its claim like [AllocatedFor].
func ScheduledFor(ctx context.Context, e *env.Env, claim, because string, want ...string) {
	ginkgo.GinkgoHelper()
	pods.WaitForScheduled(ctx, e, claim)
	AllocatedFor(ctx, e, claim, because, want...)
}
