// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// pluginRegistersItself calls GetInfo on the registration sockets of a node. It
// checks the registrations with the name of the driver, and sends a call to
// the newest one.
var pluginRegistersItself = suite.Spec{
	ID:           "plugin-registers-itself",
	Description:  "A driver registers with the kubelet under its name, as a DRA driver, with a gRPC service that kubelets know, and serves calls at the registered socket.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-driver-registers"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		for _, registration := range nodeagent.WaitForRegistrations(ctx, e, device.plugin) {
			nodeagent.ExpectRegistration(device.plugin, registration)
		}
		// The response does not matter, only that there is one.
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, nodeagent.UnknownClaim(e))
	},
}
