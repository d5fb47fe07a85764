// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// answersNameAllocatedDevices prepares a claim with two requests and the claim of
// a running pod, and compares the answers with the allocations: pool, device,
// share and request.
var answersNameAllocatedDevices = suite.Spec{
	ID:           "answers-name-allocated-devices",
	Description:  "A driver returns only devices that are allocated to the claim, with their pool, and for the requests that they are allocated for. It returns CDI devices for each of two requests for equal devices, or for none.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      3,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-answers-name-allocated-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		same := device.Device
		claim := nodeagent.CreateHeldClaim(ctx, e, device.plugin, "claim", devices.Request{Name: "one", Device: same}, devices.Request{Name: "two", Device: same})
		answers := nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
		nodeagent.ExpectAllocatedDevices(device.plugin, claim, answers)
		nodeagent.ExpectEachRequest(device.plugin, claim, answers)
		running := device.run(ctx, e, "running")
		nodeagent.ExpectAllocatedDevices(device.plugin, running, nodeagent.WaitForPrepared(ctx, e, device.plugin, running))
	},
}
