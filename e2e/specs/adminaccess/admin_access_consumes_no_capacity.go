// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessConsumesNoCapacity creates a pod with admin access to a shared device
// that has capacity for four claims, and then five pods with ordinary claims.
// Then the pod with admin access and its claim are deleted.
var adminAccessConsumesNoCapacity = suite.Spec{
	ID:           "admin-access-consumes-no-capacity",
	Description:  "A claim with admin access to a shared device consumes none of its capacity, and returns none when it is deleted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.SharedDevices}, adminFeatures...),
	Component:    env.Scheduler,
	Needs:        adminNeeds,
	Requirements: []string{"5018-consumes-no-capacity"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices(nil, "nic"))
		createMonitors(ctx, e, sim, "nic", "monitor")
		pods.WaitForScheduled(ctx, e, "monitor")
		for i := range fixture.Slots {
			user := fmt.Sprintf("user-%d", i)
			pods.CreateWithRequests(ctx, e, user, fixture.RequestFor(sim, "nic"))
			pods.WaitForScheduled(ctx, e, user)
		}
		pods.CreateWithRequests(ctx, e, "late", fixture.RequestFor(sim, "nic"))
		pods.WaitForUnschedulable(ctx, e, "late", "other claims have all of the capacity")
		pods.DeleteWithClaim(ctx, e, "monitor")
		pods.CreateWithRequests(ctx, e, "later", fixture.RequestFor(sim, "nic"))
		pods.WaitForAllUnschedulable(ctx, e, "the claim with admin access consumed none of the capacity", "late", "later")
	},
}
