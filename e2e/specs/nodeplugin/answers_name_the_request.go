// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// answersNameTheRequest prepares a claim whose request has subrequests. The
// allocation names request and subrequest. The answer must name the request, by
// which the kubelet finds the devices of a container.
var answersNameTheRequest = suite.Spec{
	ID:           "answers-name-the-request",
	Description:  "For a request with subrequests, a driver returns the devices under the name of the request, without that of the subrequest.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.PrioritizedList},
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-answers-name-the-request"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		claim := nodeagent.CreateHeldClaim(ctx, e, device.plugin, "claim", devices.Request{Name: "list", FirstAvailable: []devices.SubRequest{
			{Name: "first", Device: device.Device}, {Name: "second", Device: device.Device},
		}})
		gomega.Expect(claim.Results[0].Request).To(gomega.Equal("list/first"), "the allocation should name the subrequest")
		nodeagent.ExpectAllocatedDevices(device.plugin, claim, nodeagent.WaitForPrepared(ctx, e, device.plugin, claim))
	},
}
