// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// parallelCallsPrepareEachClaim sends eight calls at the same time for two
// claims, as for pods that start together. A driver may fail some of them. All
// others, and a later call for each claim, must return the same devices.
var parallelCallsPrepareEachClaim = suite.Spec{
	ID:           "parallel-calls-prepare-each-claim",
	Description:  "Calls that a driver receives at the same time, for the same claim and for others, return the devices of their own claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-prepare-is-idempotent"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		one, two := device.hold(ctx, e, "one"), device.hold(ctx, e, "two")
		calls := nodeagent.Repeat(4, one.PluginClaim)
		calls = append(calls, nodeagent.Repeat(4, two.PluginClaim)...)
		answers := nodeagent.GetAnswers(ctx, e, device.plugin, operations.Prepare, operations.PluginCalls{Calls: calls, Parallel: true})
		for i, claim := range []nodeagent.Claim{one, two} {
			want := nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
			nodeagent.ExpectAllocatedDevices(device.plugin, claim, want)
			nodeagent.ExpectAgreement(device.plugin, claim, answers[4*i:4*i+4], want)
		}
	},
}
