// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// multiHostHostLeaves publishes a 4x4 grid again without one of its hosts
// while a claim has other hosts. Slices with this host and without it are
// requested. Then the host is published again.
var multiHostHostLeaves = suite.Spec{
	ID:           "multi-host-host-leaves",
	Description:  "When a host is removed from the pool, devices that span it are unavailable, devices of other hosts stay available, and allocated claims keep their devices.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-device-on-selected-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		g := createGrid(ctx, e, "4x4")
		createPod(ctx, e, "before", g.deviceAt("2x4", "2,0"))
		pods.WaitForScheduled(ctx, e, "before")

		g.publish(ctx, 2, 1)
		g.DeleteSlices(ctx, g.topology.Name(), 1)
		const because = "one of its hosts has left the pool"
		pair := expect.PendingOnceSeen(ctx, e, "pair", because, func(pod string) { createPod(ctx, e, pod, g.deviceAt("2x4", "0,0")) })
		createPod(ctx, e, "part", g.deviceAt("2x2", "2,2"))
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{pair: because, "part": "claim before holds its host"})
		createPod(ctx, e, "single", g.withShape("2x2"))
		pods.WaitForScheduled(ctx, e, "single")
		gomega.Expect(pods.GetNode(ctx, e, "single")).To(gomega.Equal(g.Names[0]), "all other hosts have left the pool or are allocated")
		pods.DeleteWithClaim(ctx, e, "single")

		g.publish(ctx, 3)
		g.DeleteSlices(ctx, g.topology.Name(), 2)
		pods.WaitForScheduled(ctx, e, pair)
	},
}
