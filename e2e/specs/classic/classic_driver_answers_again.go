// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverAnswersAgain plays the scheduler and asks about a node for a pod, and
// about a second one whose devices are in use, until one of them is free again, and those
// of the first node are in use.
var classicDriverAnswersAgain = suite.Spec{
	ID:           "classic-driver-answers-again",
	Description:  "A driver answers about nodes that the scheduler adds, and again when its devices are allocated or free.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicAllocator},
	Requirements: []string{"3063-checks-added-nodes", "3063-refreshes-unsuitable-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.UseDriver(ctx, e, 2)
		full := d.Nodes[1]
		users := d.Names("user", d.DevicesPerNode())
		d.Hold(ctx, full, users...)
		d.CreateClaims(ctx, "claim")
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "pod", "claim"), "", d.Nodes[0])
		d.WaitForAnswers(ctx, "pod", 1, nil)
		d.AskAlsoAbout(ctx, "pod", d.Nodes[0], full)
		d.WaitForAnswers(ctx, "pod", 1, []string{full})
		d.Reserve(ctx, users[0])
		d.DeleteClaim(ctx, users[0])
		d.Hold(ctx, d.Nodes[0], d.Names("later", d.DevicesPerNode())...)
		d.WaitForAnswers(ctx, "pod", 1, d.Nodes[:1])
	},
}
