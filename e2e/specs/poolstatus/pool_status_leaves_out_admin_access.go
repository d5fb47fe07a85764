// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"
	"slices"

	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolStatusLeavesOutAdminAccess allocates one device to a claim with admin access,
// and then another one to an ordinary claim. It requests the status of the pool.
var poolStatusLeavesOutAdminAccess = suite.Spec{
	ID:          "pool-status-leaves-out-admin-access",
	Description: "A device to which only a claim with admin access is allocated is available, and not allocated.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    slices.Concat(statusFeatures, []features.Feature{features.AdminAccess}),
	Component:   env.ControllerManager,
	Needs:       []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Since:       "1.37", // Such allocations are counted before.
	Requirements: []string{
		"5677-admin-access-does-not-count",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("watched", "used", "idle"))
		namespaces.LabelForAdminAccess(ctx, e, "true")
		pods.CreateWithClaim(ctx, e, "monitor", devices.WithAdminAccess(devices.NewDeviceClaim(fixture.RequestFor(sim, "watched"))))
		pods.WaitForScheduled(ctx, e, "monitor")
		// A controller that has observed this claim has observed that of the monitor too.
		pods.CreateWithRequests(ctx, e, "user", fixture.RequestFor(sim, "used"))
		pods.WaitForScheduled(ctx, e, "user")
		want := free(node, node, 3)
		want.allocated, want.available = 1, 2
		newRequests(e).expectReport(ctx, "one device is allocated, and a claim has admin access to another one",
			resourcev1alpha3.ResourcePoolStatusRequestSpec{Driver: sim.Driver}, report{matching: 1, pools: []pool{want}})
	},
}
