// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// expectOutliveRestart prepares claims, restarts the driver, and asserts that it
// knows all of them. Then it unprepares the first one, and asserts that the others
// stay prepared. visible states whether CDI files can be compared.
func (d deviceOnNode) expectOutliveRestart(ctx context.Context, e *env.Env, visible bool, first nodeagent.Claim, others ...nodeagent.Claim) {
	ginkgo.GinkgoHelper()
	answers := nodeagent.WaitForEachPrepared(ctx, e, d.plugin, append([]nodeagent.Claim{first}, others...)...)
	d.expectPreparedOutliveRestart(ctx, e, visible, answers, first, others...)
}

// expectPreparedOutliveRestart is expectOutliveRestart for claims that are prepared. answers
// are those of the driver for each of them.
func (d deviceOnNode) expectPreparedOutliveRestart(ctx context.Context, e *env.Env, visible bool, answers map[string]nodeagent.Answers, first nodeagent.Claim, others ...nodeagent.Claim) {
	ginkgo.GinkgoHelper()
	drivers.Restart(ctx, e, d.Driver, d.plugin.Node)
	for uid := range answers {
		if visible {
			nodeagent.WaitForCDIDevices(ctx, e, d.plugin, answers[uid], "the claim is prepared, and containers may be restarted")
		}
	}
	nodeagent.WaitForUnprepared(ctx, e, d.plugin, first.PluginClaim)
	for _, claim := range others {
		if visible {
			nodeagent.ExpectCDIDevices(ctx, e, d.plugin, answers[claim.UID])
		}
		nodeagent.ExpectSameAnswers(d.plugin, nodeagent.WaitForPrepared(ctx, e, d.plugin, claim), answers[claim.UID], "a restart of the driver")
	}
}
