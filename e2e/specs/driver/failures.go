// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// failures returns a fault for each way in which a driver can report to the
// kubelet that a call failed. Each happens once.
func failures(method string) []operations.Fault {
	return []operations.Fault{
		{Method: method, Action: operations.Fail, Count: 1, Message: "fault of the spec: failed call"},
		{Method: method, Action: operations.FailClaims, Count: 1, Message: "fault of the spec: failed claim"},
		{Method: method, Action: operations.OmitClaims, Count: 1, Message: "fault of the spec: omitted claim"},
	}
}

// failingClaims has one claim name for each of the failures.
var failingClaims = []string{"one", "two", "three"}

// injectFailures makes the next calls of a method fail in all ways.
func (d deviceOnNode) injectFailures(ctx context.Context, e *env.Env, method string) {
	ginkgo.GinkgoHelper()
	for _, fault := range failures(method) {
		drivers.InjectFault(ctx, e, d.Driver, d.node, fault)
	}
}

// failToPrepareClaim makes the driver fail to prepare a claim in one way, until the faults
// are removed.
func (d deviceOnNode) failToPrepareClaim(ctx context.Context, e *env.Env, claim string, action operations.Action) {
	ginkgo.GinkgoHelper()
	d.failAlways(ctx, e, operations.Prepare, claim, action)
}

// failAlways makes the calls of a method fail for a claim in one way, until the faults are
// removed.
func (d deviceOnNode) failAlways(ctx context.Context, e *env.Env, method, claim string, action operations.Action) {
	ginkgo.GinkgoHelper()
	const always = 1_000_000 // more calls than any kubelet makes
	drivers.InjectFault(ctx, e, d.Driver, d.node, operations.Fault{
		Method: method, Action: action, Count: always, Message: "fault of the spec: failed claim", Claims: []string{claim},
	})
}

// expectRetried asserts that the calls for the claims failed in all ways, and
// that the driver succeeded afterwards.
func (d deviceOnNode) expectRetried(ctx context.Context, e *env.Env, method string) {
	ginkgo.GinkgoHelper()
	var failed []string
	for _, claim := range failingClaims {
		for _, call := range d.expectSucceeded(ctx, e, method, claim) {
			failed = append(failed, call.Error)
		}
	}
	for _, fault := range failures(method) {
		gomega.Expect(failed).To(gomega.ContainElement(gomega.ContainSubstring(fault.Message)), "an earlier call should have failed")
	}
}

// expectSucceeded asserts that the last call for a claim succeeded, and returns all of them.
func (d deviceOnNode) expectSucceeded(ctx context.Context, e *env.Env, method, claim string) []drivers.ClaimCall {
	ginkgo.GinkgoHelper()
	got := drivers.GetCalls(ctx, e, d.Driver, d.node, method, claim)
	gomega.Expect(got).NotTo(gomega.BeEmpty(), "the kubelet should call %s for claim %s", method, claim)
	gomega.Expect(got[len(got)-1].Succeeded()).To(gomega.BeTrue(), "the last call should succeed for claim %s: %v", claim, got)
	return got
}
