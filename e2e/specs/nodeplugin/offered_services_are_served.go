// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// offeredServicesAreServed prepares and unprepares a claim by each version of
// the service that the driver has registered, and compares the answers. Older
// kubelets call older versions.
var offeredServicesAreServed = suite.Spec{
	ID:           "offered-services-are-served",
	Description:  "A driver serves each version of the service that it has registered, and returns the same devices by each of them. No CDI device of a claim is left that it has unprepared by one of them.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-offered-services-are-served"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		claim := device.hold(ctx, e, "claim")
		before := nodeagent.GetCDIFiles(ctx, e, device.plugin)
		registration := nodeagent.WaitForRegistrations(ctx, e, device.plugin)[0]
		nodeagent.ExpectRegistration(device.plugin, registration)
		want := nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, claim.PluginClaim)
		for _, service := range nodeagent.KnownServices(registration) {
			got := nodeagent.WaitForPreparedBy(ctx, e, device.plugin, service, claim)
			nodeagent.ExpectSameDevices(device.plugin, got, want, "being called by "+service)
			nodeagent.WaitForUnpreparedBy(ctx, e, device.plugin, service, claim.PluginClaim)
			nodeagent.WaitForCDIDevicesRemoved(ctx, e, device.plugin, before, got)
		}
	},
}
