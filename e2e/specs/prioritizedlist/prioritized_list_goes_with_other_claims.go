// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListGoesWithOtherClaims creates pods with a list and a second
// claim. The device of the first subrequest is the only one for the second
// claim, or it is on another node than the device for the second claim.
var prioritizedListGoesWithOtherClaims = suite.Spec{
	ID:          "prioritized-list-goes-with-other-claims",
	Description: "A subrequest is allocated only if the other claims of the pod can be satisfied on the same node.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    simulatedFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"4816-alternatives-and-other-requests",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "board", "disk-0"))
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[1]}, fixture.Devices("disk-1", "port"))

		createPodWithTwoClaims(ctx, e, sim, "same-device", fixture.SubRequestFor(sim, "card"), fixture.RequestFor(sim, "card"))
		expect.AllocatedFor(ctx, e, "same-device-0", "the other claim of its pod needs the only card", "list/disk")
		createPodWithTwoClaims(ctx, e, sim, "same-node", fixture.SubRequestFor(sim, "board"), fixture.RequestFor(sim, "port"))
		expect.AllocatedFor(ctx, e, "same-node-0", "the other claim of its pod needs a port, which is not where the board is", "list/disk")
	},
}

// createPodWithTwoClaims waits until a pod with two claims is scheduled. One
// claim has a prioritized list of the given subrequest and a disk. The other
// claim has the given requests.
func createPodWithTwoClaims(ctx context.Context, e *env.Env, sim *simulated.Nodes, pod string, first devices.SubRequest, other []devices.Request) {
	ginkgo.GinkgoHelper()
	pods.CreateWithClaims(ctx, e, pod, devices.NewDeviceClaim([]devices.Request{fixture.FirstAvailable("list", first, fixture.SubRequestFor(sim, "disk"))}), devices.NewDeviceClaim(other))
	pods.WaitForScheduled(ctx, e, pod)
}
