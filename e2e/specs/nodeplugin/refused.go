// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// expectRefusedLeavesNothing prepares a claim, and then one for two devices, of which the second one
// has parameters that the driver cannot know. Then it calls meanwhile with the answer for the first
// claim, and whether its CDI files can be found. It unprepares the refused claim, and asserts that
// nothing is left of it, that the other one stays prepared, and that a further one can be prepared. The
// spec does not apply to a driver that prepares the claim: a driver may ignore parameters.
func (d deviceOnNode) expectRefusedLeavesNothing(ctx context.Context, e *env.Env, meanwhile func(other nodeagent.Answers, visible bool)) {
	ginkgo.GinkgoHelper()
	other := d.hold(ctx, e, "other")
	want := nodeagent.WaitForPrepared(ctx, e, d.plugin, other)
	before := nodeagent.GetCDIFiles(ctx, e, d.plugin)
	visible := before.Define(want.CDIDevices())
	refused := d.holdRequests(ctx, e, "refused", fixture.RefusedRequests(d.Device)...)
	if !nodeagent.IsRefused(ctx, e, d.plugin, refused) {
		e.NotApplicable("needs a driver that refuses parameters that it does not know, and this one prepared the claim")
	}
	meanwhile(want, visible)
	nodeagent.WaitForUnprepared(ctx, e, d.plugin, refused.PluginClaim)
	nodeagent.WaitForCDIDevicesRemoved(ctx, e, d.plugin, before, nodeagent.Answers{refused.UID: nil})
	if visible {
		nodeagent.ExpectCDIDevices(ctx, e, d.plugin, want)
	}
	nodeagent.ExpectSameAnswers(d.plugin, nodeagent.WaitForPrepared(ctx, e, d.plugin, other), want, "a claim that the driver refused to prepare")
	nodeagent.ReleaseHeldClaim(ctx, e, refused)
	d.prepareOnce(ctx, e, d.hold(ctx, e, "next"))
}
