// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// canceledPrepareIsCompleted cancels five calls to prepare a claim, the first
// one immediately and each one later than the one before. Then it prepares the
// claim, unprepares it, and looks for CDI devices that are left.
var canceledPrepareIsCompleted = suite.Spec{
	ID:           "canceled-prepare-is-completed",
	Description:  "A claim whose preparation was canceled can be prepared with the next call, and nothing of it remains when it is unprepared.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-unprepare-undoes-prepare"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		claim := device.hold(ctx, e, "claim")
		before := nodeagent.GetCDIFiles(ctx, e, device.plugin)
		cancel(ctx, e, device.plugin, operations.Prepare, claim)
		answers := nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
		nodeagent.ExpectAllocatedDevices(device.plugin, claim, answers)
		// A driver may go on with a canceled call for a while. The second round
		// waits for that.
		all := []nodeagent.Answers{answers}
		for range 2 {
			nodeagent.WaitForUnprepared(ctx, e, device.plugin, claim.PluginClaim)
			again := nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
			nodeagent.ExpectSameDevices(device.plugin, again, answers, "calls that were canceled")
			all = append(all, again)
		}
		cancel(ctx, e, device.plugin, operations.Unprepare, claim)
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, claim.PluginClaim)
		for _, given := range all {
			nodeagent.WaitForCDIDevicesRemoved(ctx, e, device.plugin, before, given)
		}
	},
}

// cancel makes calls for a claim that are canceled, each later than the one before.
func cancel(ctx context.Context, e *env.Env, p nodeagent.Plugin, method string, claim nodeagent.Claim) {
	ginkgo.GinkgoHelper()
	for i := range 5 {
		calls := operations.PluginCalls{Calls: nodeagent.Repeat(1, claim.PluginClaim), CancelAfter: time.Millisecond << (2 * i)}
		nodeagent.GetAnswers(ctx, e, p, method, calls)
	}
}
