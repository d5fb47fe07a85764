// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceMatchAttribute publishes a device with one slot and one with
// two. A claim requests two shares of the same device. After that, another
// claim has one of the two slots, and two shares are requested again.
var sharedDeviceMatchAttribute = suite.Spec{
	ID:          "shared-device-match-attribute",
	Description: "Shares of one device satisfy matchAttribute. A claim that needs two shares is unschedulable if each device has one left.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-match-attribute",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "nics.yaml"))
		pair := anyDevices(sim, "a", "b")
		same := resourceapi.DeviceConstraint{MatchAttribute: ptr.To(qualifiedName(sim, "name"))}

		pods.CreateWithRequests(ctx, e, "pair", pair, same)
		for _, share := range waitForShares(ctx, e, "pair") {
			gomega.Expect(share.Device).To(gomega.Equal("two"), "the device that has two slots")
		}
		pods.DeleteWithClaim(ctx, e, "pair")

		pods.CreateWithRequests(ctx, e, "single", fixture.RequestFor(sim, "two"))
		pods.WaitForScheduled(ctx, e, "single")
		pods.CreateWithRequests(ctx, e, "late", pair, same)
		pods.WaitForUnschedulable(ctx, e, "late", "each device has one slot left, and its requests must get shares of the same device")
	},
}
