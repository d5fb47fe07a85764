// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// answersOmitOtherDrivers prepares a claim that has devices of two roles of the
// driver file. If they belong to two drivers, each driver must return only its
// own devices.
var answersOmitOtherDrivers = suite.Spec{
	ID:           "answers-omit-other-drivers",
	Description:  "For a claim with devices of several drivers, a driver returns only its own devices.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.SharedDevices},
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindExclusive, subject.KindShared},
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-answers-name-allocated-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		claim := device.holdRequests(ctx, e, "claim",
			devices.Request{Name: "one", Device: device.Device}, devices.Request{Name: "other", Device: e.Subject.Shared.Share})
		nodeagent.ExpectAllocatedDevices(device.plugin, claim, nodeagent.WaitForPrepared(ctx, e, device.plugin, claim))
	},
}
