// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListLimitInALongSearch creates a claim with nine requests, of which each must get
// the last device that it accepts, and a list. The first subrequest of the list would exceed
// the limit of devices in an allocation.
var prioritizedListLimitInALongSearch = suite.Spec{
	ID:           "prioritized-list-limit-in-a-long-search",
	Description:  "A subrequest with which the claim would exceed the limit of devices in an allocation is skipped, although the scheduler needs many attempts for other requests.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     simulatedFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4816-alternatives-and-the-limit"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory, requests := fixture.Numbered(sim, 9)
		names := []string{"disk"}
		for i := range resourceapi.AllocationResultsMaxSize {
			names = append(names, fmt.Sprintf("card-%d", i))
		}
		inventory.Devices = append(inventory.Devices, fixture.Devices(names...).Devices...)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		cards := fixture.SubRequestFor(sim, "card")
		cards.Count = resourceapi.AllocationResultsMaxSize - 1
		pods.CreateWithRequests(ctx, e, "beyond", append(requests, fixture.FirstAvailable("list", cards, fixture.SubRequestFor(sim, "disk"))))
		pods.WaitForScheduled(ctx, e, "beyond")
		var got []string
		for _, device := range claims.GetDevicesForRequest(ctx, e, "beyond", "list") {
			got = append(got, device.Device)
		}
		gomega.Expect(got).To(gomega.Equal([]string{"disk"}), "the list of claim beyond should get the disk, because the cards would be too many devices")
	},
}
