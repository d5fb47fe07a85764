// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"
	"reflect"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// prepareOnce prepares and unprepares a claim.
func (d deviceOnNode) prepareOnce(ctx context.Context, e *env.Env, claim nodeagent.Claim) {
	ginkgo.GinkgoHelper()
	nodeagent.ExpectAllocatedDevices(d.plugin, claim, nodeagent.WaitForPrepared(ctx, e, d.plugin, claim))
	nodeagent.WaitForUnprepared(ctx, e, d.plugin, claim.PluginClaim)
}

// expectStaysPrepared unprepares a claim that was never prepared, and asserts that this
// changes nothing for the claim of a running pod. Its files are compared before it is
// prepared again, because that may write them again.
func (d deviceOnNode) expectStaysPrepared(ctx context.Context, e *env.Env, running nodeagent.Claim, other operations.PluginClaim, despite string) {
	ginkgo.GinkgoHelper()
	want := nodeagent.WaitForPrepared(ctx, e, d.plugin, running)
	visible := filesAreVisible(ctx, e, d.plugin, running)
	nodeagent.WaitForUnprepared(ctx, e, d.plugin, other)
	if visible {
		nodeagent.ExpectCDIDevices(ctx, e, d.plugin, want)
	}
	nodeagent.ExpectSameAnswers(d.plugin, nodeagent.WaitForPrepared(ctx, e, d.plugin, running), want, despite)
}

// expectNewDevices prepares a claim that has other devices than an earlier one,
// and asserts that the driver returns these. A scheduler may choose the same
// devices for both.
func (d deviceOnNode) expectNewDevices(ctx context.Context, e *env.Env, claim, earlier nodeagent.Claim) {
	ginkgo.GinkgoHelper()
	if reflect.DeepEqual(claim.Results, earlier.Results) {
		e.NotApplicable("needs a claim with other devices than before, and the scheduler chose the same ones")
	}
	nodeagent.ExpectAllocatedDevices(d.plugin, claim, nodeagent.WaitForPrepared(ctx, e, d.plugin, claim))
}
