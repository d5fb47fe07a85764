// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListTakesLast creates a claim with a list of as many subrequests as
// possible. Only the last one is for a device that exists.
var prioritizedListTakesLast = suite.Spec{
	ID:           "prioritized-list-takes-last",
	Description:  "If no other subrequest of the longest list fits, the last one is allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     simulatedFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4816-next-if-the-first-does-not-fit"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("disk"))
		var list []devices.SubRequest
		for i := range resourceapi.FirstAvailableDeviceRequestMaxSize - 1 {
			list = append(list, fixture.SubRequestFor(sim, fmt.Sprintf("card-%d", i)))
		}
		pods.CreateWithRequests(ctx, e, "list", []devices.Request{fixture.FirstAvailable("list", append(list, fixture.SubRequestFor(sim, "disk"))...)})
		expect.ScheduledFor(ctx, e, "list", "no other subrequest is for a device that exists", "list/disk")
	},
}
