// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// multiHostClaimsHaveHostsOfTheirOwn creates two claims for 2x4 slices of a
// 4x4 grid, with two pods each. Then it requests a single host and the whole
// grid.
var multiHostClaimsHaveHostsOfTheirOwn = suite.Spec{
	ID:           "multi-host-claims-have-hosts-of-their-own",
	Description:  "Two claims for devices of two nodes get different hosts, and all their pods are scheduled.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-counters-across-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		g := createGrid(ctx, e, "4x4")
		left := pods.CreateSharingClaim(ctx, e, "left", g.withShape("2x4"), 2, pods.Options{})
		right := pods.CreateSharingClaim(ctx, e, "right", g.withShape("2x4"), 2, pods.Options{})
		gomega.Expect(waitForNodes(ctx, e, append(left, right...)...)).To(gomega.ConsistOf(g.Names), "each host has one of the four pods")

		createPod(ctx, e, "single", g.withShape("2x2"))
		createPod(ctx, e, "all", g.withShape("4x4"))
		pods.WaitForAllUnschedulable(ctx, e, "the two claims hold all hosts", "single", "all")
	},
}
