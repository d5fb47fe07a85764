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

// prioritizedListOfAllDevices creates claims whose subrequests are for all devices of a kind
// each. The first subrequest is for a kind of which there are none, of which one device is in
// use, and of which there are too many.
var prioritizedListOfAllDevices = suite.Spec{
	ID:           "prioritized-list-of-all-devices",
	Description:  "Of several subrequests for all devices of a kind, the first one is allocated whose devices exist and are free, with all devices of its own kind.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     simulatedFeatures,
	Component:    env.Scheduler,
	Since:        "1.36", // Earlier schedulers look at the devices of the first subrequest only.
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"4816-all-devices-of-an-alternative", "4816-alternatives-and-the-limit"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		names := []string{"card-0", "card-1", "disk-0", "disk-1"}
		for i := range resourceapi.AllocationResultsMaxSize + 1 {
			names = append(names, fmt.Sprintf("lane-%d", i))
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices(names...))
		pods.CreateWithRequests(ctx, e, "holder", fixture.RequestFor(sim, "card-1"))
		pods.WaitForScheduled(ctx, e, "holder")
		for _, test := range []struct{ first, because string }{
			{"port", "there is no port"},
			{"card", "claim holder has one of the cards"},
			{"lane", "there are more lanes than an allocation can have"},
		} {
			first, disks := fixture.SubRequestFor(sim, test.first), fixture.SubRequestFor(sim, "disk")
			first.All, disks.All = true, true
			pods.CreateWithRequests(ctx, e, test.first, []devices.Request{fixture.FirstAvailable("list", first, disks)})
			expect.ScheduledFor(ctx, e, test.first, test.because, "list/disk", "list/disk")
			pods.DeleteWithClaim(ctx, e, test.first)
		}
	},
}
