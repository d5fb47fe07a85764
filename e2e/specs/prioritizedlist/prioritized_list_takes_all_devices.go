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

// prioritizedListTakesAllDevices creates claims with a list that prefers all
// cards to one disk: while both cards are free, while another claim has one of
// them, and for kinds of device of which there are none and too many.
var prioritizedListTakesAllDevices = suite.Spec{
	ID:          "prioritized-list-takes-all-devices",
	Description: "A subrequest for all devices gets all that match, and is skipped if one of them is in use, none matches, or more match than an allocation can have.",
	Profile:     profile,
	Features:    simulatedFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{
		"4816-all-devices-of-an-alternative", "4816-alternatives-and-the-limit",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		names := []string{"card-0", "card-1", "disk-0", "disk-1", "disk-2"}
		for i := range resourceapi.AllocationResultsMaxSize + 1 {
			names = append(names, fmt.Sprintf("lane-%d", i))
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices(names...))
		all := func(name string) devices.SubRequest {
			alternative := fixture.SubRequestFor(sim, name)
			alternative.All = true
			return alternative
		}
		either := []devices.Request{fixture.FirstAvailable("list", all("card"), fixture.SubRequestFor(sim, "disk"))}

		pods.CreateWithRequests(ctx, e, "free", either)
		expect.ScheduledFor(ctx, e, "free", "both cards are free", "list/card", "list/card")
		pods.DeleteWithClaim(ctx, e, "free")

		pods.CreateWithRequests(ctx, e, "holder", fixture.RequestFor(sim, "card-1"))
		pods.WaitForScheduled(ctx, e, "holder")
		pods.CreateWithRequests(ctx, e, "late", either)
		expect.ScheduledFor(ctx, e, "late", "claim holder has one of the cards", "list/disk")

		pods.CreateWithRequests(ctx, e, "none", []devices.Request{fixture.FirstAvailable("list", all("port"), fixture.SubRequestFor(sim, "disk"))})
		expect.ScheduledFor(ctx, e, "none", "there is no port", "list/disk")

		pods.CreateWithRequests(ctx, e, "beyond", []devices.Request{fixture.FirstAvailable("list", all("lane"), fixture.SubRequestFor(sim, "disk"))})
		expect.ScheduledFor(ctx, e, "beyond", "there are more lanes than an allocation can have", "list/disk")
	},
}
