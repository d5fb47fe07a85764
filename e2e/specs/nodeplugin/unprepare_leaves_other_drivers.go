// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// unprepareLeavesOtherDrivers prepares a claim that has devices of two drivers by a call of
// each of them. It unprepares it by a call of the first one and looks for the CDI devices of
// the second one. Both have the same claim, and so may their files have the same UID in their
// names.
var unprepareLeavesOtherDrivers = suite.Spec{
	ID:           "unprepare-leaves-other-drivers",
	Description:  "A driver that unprepares a claim with devices of two drivers leaves the CDI devices of the other driver.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.SharedDevices},
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindExclusive, subject.KindShared},
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-files-of-other-drivers-stay"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		share := e.Subject.Shared.Share
		if share.Driver == device.Driver {
			e.NotApplicable(fmt.Sprintf("needs exclusive devices and shared devices of different drivers, driver %s offers both", share.Driver))
		}
		other := nodeagent.Plugin{Driver: share.Driver, Node: device.plugin.Node}
		if why := nodeagent.Unreachable(ctx, e, other); why != "" {
			e.NotApplicable("needs two drivers that node agents can call; " + why)
		}
		claim := device.holdRequests(ctx, e, "claim",
			devices.Request{Name: "one", Device: device.Device}, devices.Request{Name: "other", Device: share})
		nodeagent.UnprepareAtEnd(e, other, claim.PluginClaim) //nolint:contextcheck // The spec's context has ended by then.
		nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
		want := nodeagent.WaitForPrepared(ctx, e, other, claim)
		if !nodeagent.GetCDIFiles(ctx, e, other).Define(want.CDIDevices()) {
			e.NotApplicable(fmt.Sprintf("needs to see the CDI files of node %s: %s returned no CDI devices, or its files are in other than the standard directories", other.Node, other))
		}
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, claim.PluginClaim)
		nodeagent.ExpectCDIDevices(ctx, e, other, want)
	},
}
