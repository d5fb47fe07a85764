// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceAsAlternative creates two claims with the same list, which
// requests 5Gi or else 2Gi of a device with 8Gi.
var sharedDeviceAsAlternative = suite.Spec{
	ID:          "shared-device-as-alternative",
	Description: "Subrequests request their own capacity, and the first one is allocated whose device has enough left.",
	Profile:     profile,
	Features:    append([]features.Feature{features.PrioritizedList}, sharedDeviceFeatures...),
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-capacity-of-alternatives",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "nic.yaml"))
		subRequest := func(amount string) devices.SubRequest {
			return devices.SubRequest{Name: "a-" + amount[:1], Device: requestShare(sim, "nic", memory(amount))[0].Device}
		}
		either := []devices.Request{fixture.FirstAvailable("list", subRequest("5Gi"), subRequest("2Gi"))}
		pods.CreateWithRequests(ctx, e, "first", either)
		expectConsumed(ctx, e, "first", slotsAndMemory(1, "5Gi"))

		pods.CreateWithRequests(ctx, e, "second", either)
		expectConsumed(ctx, e, "second", slotsAndMemory(1, "2Gi"))
		gomega.Expect(claims.GetAllocation(ctx, e, "second").Results[0].Request).To(gomega.Equal("list/a-2"), "3Gi are left, which are not enough for the first alternative")
	},
}
