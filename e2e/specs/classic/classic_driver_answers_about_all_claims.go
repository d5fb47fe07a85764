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
// pod with two claims, before and after other claims hold a device of it.
var classicDriverAnswersAboutAllClaims = suite.Spec{
	ID:           "classic-driver-answers-about-all-claims",
	Description:  "A driver answers about each pending claim of a pod, also if no node is unsuitable, and excludes nodes without enough devices for all of them.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-entries-for-all-claims", "3063-allocates-for-selected-node"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		node, both := w.Nodes[0], w.Names("claim", w.DevicesPerNode())
		w.CreateClaims(ctx, both...)
		w.Ask(ctx, w.CreateUnscheduledPod(ctx, "pod", both...), "", node)
		w.WaitForAnswers(ctx, "pod", len(both), nil)
		w.CreatePodsOn(ctx, node, "user")
		w.WaitForRunning(ctx, "a device is free", "user")
		others := w.Names("other", w.DevicesPerNode())
		w.CreateClaims(ctx, others...)
		w.Ask(ctx, w.CreateUnscheduledPod(ctx, "late", others...), "", node)
		w.WaitForAnswers(ctx, "late", len(others), []string{node})
	},
}
