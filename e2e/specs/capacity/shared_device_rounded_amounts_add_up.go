// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceRoundedAmountsAddUp requests amounts that are rounded up: of one device until
// nothing is left, by one claim after the other, and of another device by the requests and by
// the claims of one pod. What is requested would leave enough for one more each time.
var sharedDeviceRoundedAmountsAddUp = suite.Spec{
	ID:           "shared-device-rounded-amounts-add-up",
	Description:  "What claims consume of a capacity, and not what they request of it, is unavailable for other claims, and for other requests and claims of the same pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Since:        "1.35", // As other specs of what shares consume.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-capacity-not-exceeded", "5075-rounded-to-a-step", "5075-rounded-to-a-valid-value"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "policies.yaml"))
		for i := range 5 {
			user := fmt.Sprintf("user-%d", i)
			pods.CreateWithRequests(ctx, e, user, requestShare(sim, "values", memory("5Gi")))
			expectConsumed(ctx, e, user, memory("8Gi"))
		}
		pods.CreateWithRequests(ctx, e, "late", requestShare(sim, "values", memory("2Gi")))
		pods.WaitForUnschedulable(ctx, e, "late", "five claims consume 8Gi of 40Gi each, although they request 5Gi")
		share := requestShare(sim, "steps", memory("9Gi"))[0]
		var requests []devices.Request
		for i := range 6 {
			share.Name = fmt.Sprintf("share-%d", i)
			requests = append(requests, share)
		}
		claim := devices.NewDeviceClaim(requests[:1])
		pods.CreateWithRequests(ctx, e, "six-requests", requests)
		pods.CreateWithClaims(ctx, e, "six-claims", slices.Repeat([]resourceapi.DeviceClaim{claim}, 6)...)
		pods.WaitForAllUnschedulable(ctx, e, "six shares of 9Gi would consume 11Gi of 60Gi each", "six-requests", "six-claims")
		pods.CreateWithRequests(ctx, e, "five-requests", requests[:5])
		waitForShares(ctx, e, "five-requests")
	},
}
