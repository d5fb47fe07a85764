// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"fmt"
	"math"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListSkipsHugeCounts creates claims with requests for the largest number of
// devices that the API has: as the first subrequest before and after another request, and as
// two and three requests, whose sum is beyond what an integer of 64 bits can hold.
var prioritizedListSkipsHugeCounts = suite.Spec{
	ID:          "prioritized-list-skips-huge-counts",
	Description: "A subrequest for the largest number of devices is skipped, whatever other requests there are. A claim with several requests for so many devices is pending, and other claims are allocated.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    simulatedFeatures,
	Component:   env.Scheduler,
	// Up to 1.37.0, the sum overflows: kube-scheduler skips the later subrequests, or ends.
	Since:        "1.37",
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4816-alternatives-and-the-limit"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "card-2", "disk-0", "disk-1"))
		card, disk := fixture.SubRequestFor(sim, "card"), fixture.SubRequestFor(sim, "disk")
		few := devices.Request{Name: "few", Device: card.Device}
		huge := card
		huge.Count = math.MaxInt64
		list := fixture.FirstAvailable("list", huge, disk)

		for _, n := range []int{2, 3} {
			var requests []devices.Request
			for i := range n {
				requests = append(requests, devices.Request{Name: fmt.Sprintf("request-%d", i), Device: card.Device, Count: math.MaxInt64})
			}
			pods.CreateWithRequests(ctx, e, fmt.Sprintf("huge-%d", n), requests)
		}
		pods.WaitForPending(ctx, e, "there are three cards", "huge-2", "huge-3")
		pods.CreateWithRequests(ctx, e, "before", []devices.Request{few, list})
		expect.ScheduledFor(ctx, e, "before", "there are three cards", "few", "list/disk")
		pods.CreateWithRequests(ctx, e, "after", []devices.Request{list, few})
		expect.ScheduledFor(ctx, e, "after", "there are three cards", "few", "list/disk")
	},
}
