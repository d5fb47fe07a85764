// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeoperations

import (
	"context"
	"slices"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// skippedOperationsDecideAlternatives publishes a device without operations on nodes, and an
// ordinary one, for two nodes of which the second one declares the feature. On each node, a
// pod prefers the former in a prioritized list.
var skippedOperationsDecideAlternatives = suite.Spec{
	ID:           "skipped-operations-decide-alternatives",
	Description:  "A subrequest for a device for which kubelets skip operations is satisfied only on nodes that declare the feature, and its result has the operations. On other nodes, the next subrequest counts.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append(slices.Clone(operationFeatures), features.PrioritizedList),
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5945-capable-nodes-only", "5945-recorded"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNodes(ctx, e)
		publish(ctx, sim, "network", all, "port", "seen")
		publish(ctx, sim, "ordinary", nil, "card")
		expect.SchedulerHasSeen(ctx, e, sim, "seen")
		lists := []devices.Request{fixture.FirstAvailable("list", fixture.SubRequestFor(sim, "port"), fixture.SubRequestFor(sim, "card"))}
		pods.CreateWithClaimOnNode(ctx, e, "incapable", sim.Names[0], devices.NewDeviceClaim(lists))
		expect.ScheduledFor(ctx, e, "incapable", "its node does not declare that it can skip operations", "list/card")
		pods.CreateWithClaimOnNode(ctx, e, "capable", sim.Names[capable], devices.NewDeviceClaim(lists))
		expect.ScheduledFor(ctx, e, "capable", "its node declares that it can skip operations", "list/port")
		for _, result := range claims.GetAllocation(ctx, e, "capable").Results {
			gomega.Expect(result.SkipNodeOperations).To(gomega.Equal(all), "the allocation of device %s for a subrequest should have the operations that kubelets skip for devices of its slice", result.Device)
		}
	},
}
