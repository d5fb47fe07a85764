// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceServesClaimsAndRequests requests shares of one device in a claim
// with one request and in a claim with two, and compares the share IDs.
var sharedDeviceServesClaimsAndRequests = suite.Spec{
	ID:          "shared-device-serves-claims-and-requests",
	Description: "Several claims, and several requests of a claim, have shares of one device at the same time, each with its own share ID.",
	Profile:     profile,
	Level:       suite.Core,
	Smoke:       true,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-several-claims",
		"5075-several-requests",
		"5075-share-id",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "nic.yaml"))
		shared := sim.Device("device.allowMultipleAllocations")
		pods.CreateWithRequests(ctx, e, "first", []devices.Request{{Name: "a", Device: shared}})
		pods.CreateWithRequests(ctx, e, "second", []devices.Request{{Name: "a", Device: shared}, {Name: "b", Device: shared}})

		ids := map[string]string{}
		for _, claim := range []string{"first", "second"} {
			for _, share := range waitForShares(ctx, e, claim) {
				ids[string(*share.ShareID)] = claim + "/" + share.Request
			}
		}
		gomega.Expect(ids).To(gomega.HaveLen(3), "each of the three shares should have a unique id")
	},
}
