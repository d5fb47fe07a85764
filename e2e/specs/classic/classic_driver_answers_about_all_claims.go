// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverAnswersAboutAllClaims plays the scheduler and asks about a node for a
// pod with two claims, before and after other claims hold a device of it, and when the pod
// uses one of those.
var classicDriverAnswersAboutAllClaims = suite.Spec{
	ID:           "classic-driver-answers-about-all-claims",
	Description:  "A driver answers about each pending claim of a pod, also if no node is unsuitable, and excludes nodes without enough devices for all of them. Allocated claims need no more.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicAllocator},
	Requirements: []string{"3063-entries-for-all-claims", "3063-allocates-for-selected-node"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.UseDriver(ctx, e, 1)
		node, both := d.Nodes[0], d.Names("claim", d.DevicesPerNode())
		d.CreateClaims(ctx, both...)
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "pod", both...), "", node)
		d.WaitForAnswers(ctx, "pod", len(both), nil)
		d.Hold(ctx, node, "user")
		others := d.Names("other", d.DevicesPerNode())
		d.CreateClaims(ctx, others...)
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "late", others...), "", node)
		d.WaitForAnswers(ctx, "late", len(others), []string{node})
		rest := others[1:]
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "partly", append(rest, "user")...), "", node)
		d.WaitForAnswers(ctx, "partly", len(rest), nil)
	},
}
