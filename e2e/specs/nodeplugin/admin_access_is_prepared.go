// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"
	"maps"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// adminAccessIsPrepared prepares a claim, and one with admin access to its device,
// and looks for the CDI devices of both. It unprepares one of the two while the other one stays prepared, prepares it
// again, and then does the same with the other one. At last it prepares both by one call, as for
// a pod that uses both.
var adminAccessIsPrepared = suite.Spec{
	ID:           "admin-access-is-prepared",
	Description:  "A driver prepares a claim with admin access to a device that is prepared for another claim, and prepares another claim for a device to which a claim has admin access. Unpreparing one of them leaves the other one prepared. One call can prepare both.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: adminCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        adminNeeds,
	Requirements: []string{"5018-prepared-regardless", "4381-unprepares-what-is-named"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		visible := filesAreVisible(ctx, e, device.plugin, device.run(ctx, e, "evidence"))
		user := device.hold(ctx, e, "user")
		monitor := device.holdForAdmin(ctx, e, "monitor", user)
		answers, both := map[string]nodeagent.Answers{}, nodeagent.Answers{}
		for _, claim := range []nodeagent.Claim{user, monitor} {
			answers[claim.UID] = nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
			nodeagent.ExpectAllocatedDevices(device.plugin, claim, answers[claim.UID])
			maps.Copy(both, answers[claim.UID])
		}
		nodeagent.ExpectEachClaim(device.plugin, both, user, monitor)
		if visible {
			nodeagent.ExpectCDIDevices(ctx, e, device.plugin, both)
		}
		for _, pair := range [][2]nodeagent.Claim{{monitor, user}, {user, monitor}} {
			ends, stays := pair[0], pair[1]
			nodeagent.WaitForUnprepared(ctx, e, device.plugin, ends.PluginClaim)
			if visible {
				nodeagent.ExpectCDIDevices(ctx, e, device.plugin, answers[stays.UID])
			}
			nodeagent.ExpectSameAnswers(device.plugin, nodeagent.WaitForPrepared(ctx, e, device.plugin, stays), answers[stays.UID], "the end of claim "+ends.Name)
			again := nodeagent.WaitForPrepared(ctx, e, device.plugin, ends)
			nodeagent.ExpectSameDevices(device.plugin, again, answers[ends.UID], "being unprepared meanwhile")
			answers[ends.UID] = again
		}
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, user.PluginClaim, monitor.PluginClaim)
		together := nodeagent.WaitForPrepared(ctx, e, device.plugin, user, monitor)
		nodeagent.ExpectEachClaim(device.plugin, together, user, monitor)
		for _, claim := range []nodeagent.Claim{user, monitor} {
			nodeagent.ExpectSameDevices(device.plugin, nodeagent.Answers{claim.UID: together[claim.UID]}, answers[claim.UID], "a call that names the other claim, too")
		}
		if visible {
			nodeagent.ExpectCDIDevices(ctx, e, device.plugin, together)
		}
	},
}
