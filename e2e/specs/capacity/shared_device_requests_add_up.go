// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceRequestsAddUp publishes a device with four slots. One pod has a claim with
// five requests, another one has five claims, and a third one has a claim with four
// requests.
var sharedDeviceRequestsAddUp = suite.Spec{
	ID:           "shared-device-requests-add-up",
	Description:  "All shares of a device that the claims of one pod request must fit together, however many they are.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-claims-of-one-pod", "5075-several-requests", "5075-share-id"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices(nil, "card"))
		requests := anyDevices(sim, "a", "b", "c", "d", "e")
		const because = "together they need one slot more than the device has"
		pods.CreateWithRequests(ctx, e, "five-requests", requests)
		pods.WaitForUnschedulable(ctx, e, "five-requests", because)
		claim := devices.NewDeviceClaim(fixture.AnyDevice(sim))
		pods.CreateWithClaims(ctx, e, "five-claims", slices.Repeat([]resourceapi.DeviceClaim{claim}, fixture.Slots+1)...)
		pods.WaitForUnschedulable(ctx, e, "five-claims", because)
		pods.CreateWithRequests(ctx, e, "four-requests", requests[:fixture.Slots])
		ids := map[types.UID]bool{}
		for _, share := range waitForShares(ctx, e, "four-requests") {
			ids[*share.ShareID] = true
		}
		gomega.Expect(ids).To(gomega.HaveLen(fixture.Slots), "each share of the device should have an id of its own")
	},
}
