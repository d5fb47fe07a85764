// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverFreesRequestedClaim plays the scheduler: it requests the deallocation of one of
// the claims that have the devices of a node, and selects another node for its pod.
var classicDriverFreesRequestedClaim = suite.Spec{
	ID:           "classic-driver-frees-requested-claim",
	Description:  "A driver deallocates a claim whose deallocation is requested and no other one. Its device is free, and the claim can be allocated for another node.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicAllocator},
	Requirements: []string{"3063-driver-deallocates"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.UseDriver(ctx, e, 2)
		full, users := d.Nodes[0], d.Names("user", d.DevicesPerNode())
		d.Hold(ctx, full, users...)
		for _, pod := range users {
			d.SelectNode(ctx, pod, "") // The driver would allocate the claim again.
		}
		gomega.Expect(d.TryStatus(ctx, users[0], map[string]any{"deallocationRequested": true, "reservedFor": nil})).To(gomega.Succeed())
		d.WaitForClaim(ctx, users[0], "its deallocation is requested", deallocated)
		for _, other := range users[1:] {
			d.ExpectClaimStays(ctx, other, "nobody has asked for its deallocation", d.AllocatedOn(full))
		}
		d.Hold(ctx, full, "next")
		d.CreateClaims(ctx, "late")
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "late", "late"), "", full)
		d.WaitForAnswers(ctx, "late", 1, []string{full})
		d.SelectNode(ctx, users[0], d.Nodes[1])
		d.WaitForClaim(ctx, users[0], "another node is selected for its pod", d.AllocatedOn(d.Nodes[1]))
	},
}
