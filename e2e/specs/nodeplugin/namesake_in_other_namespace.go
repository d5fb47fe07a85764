// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// The names of claims and their requests. Names of requests have 63 characters at most. Those
// of claims are DNS subdomains with 253 characters at most. That of a file has 255 at most, so
// that a driver may store the files of a claim under the names of its namespace and its own.
const (
	longClaim   = "claim.of-" + sixty + "." + sixty + ".1"
	sixty       = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	longRequest = "request-yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
)

// namesakeInOtherNamespace prepares two claims whose names, and those of their
// requests, are equal and long. It compares the CDI files of both, and unprepares the second one.
var namesakeInOtherNamespace = suite.Spec{
	ID:           "namesake-in-other-namespace",
	Description:  "A driver prepares claims of the same name in two namespaces with their own devices, and unpreparing one of them leaves the other one prepared. Their names are long, and have dots.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      3,
	MinNodes:     1,
	OneNode:      true,
	Needs:        append([]env.Need{env.NeedsOwnNamespace}, agentNeeds...),
	Requirements: []string{"4381-answers-name-allocated-devices", "4381-unprepares-what-is-named"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		visible := filesAreVisible(ctx, e, device.plugin, device.run(ctx, e, "evidence"))
		request := devices.Request{Name: longRequest, Device: device.Device}
		stays := device.holdRequests(ctx, e, longClaim, request)
		goes := device.holdRequests(ctx, namespaces.CreateOther(ctx, e), longClaim, request)
		answers := map[string]nodeagent.Answers{}
		for _, claim := range []nodeagent.Claim{stays, goes} {
			answers[claim.UID] = nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
			nodeagent.ExpectAllocatedDevices(device.plugin, claim, answers[claim.UID])
		}
		if visible {
			nodeagent.ExpectCDIDevices(ctx, e, device.plugin, answers[stays.UID])
			nodeagent.ExpectCDIDevices(ctx, e, device.plugin, answers[goes.UID])
		}
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, goes.PluginClaim)
		if visible {
			nodeagent.ExpectCDIDevices(ctx, e, device.plugin, answers[stays.UID])
		}
		nodeagent.ExpectSameAnswers(device.plugin, nodeagent.WaitForPrepared(ctx, e, device.plugin, stays), answers[stays.UID], "the end of its namesake in another namespace")
	},
}
