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
// about a second one whose devices are in use, until one of them is free again.
var classicDriverAnswersAgain = suite.Spec{
	ID:           "classic-driver-answers-again",
	Description:  "A driver answers about nodes that the scheduler adds, and again when its devices are allocated or free.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	MinNodes:     2,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-checks-added-nodes", "3063-refreshes-unsuitable-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		full := w.Nodes[1]
		users := w.FillNode(ctx, full, "user", "there is a device for each pod")
		w.CreateClaims(ctx, "claim")
		w.Ask(ctx, w.CreateUnscheduledPod(ctx, "pod", "claim"), "", w.Nodes[0])
		w.WaitForAnswers(ctx, "pod", 1, nil)
		w.AskAlsoAbout(ctx, "pod", w.Nodes[0], full)
		w.WaitForAnswers(ctx, "pod", 1, []string{full})
		w.DeletePods(ctx, false, users[0])
		w.DeleteClaim(ctx, users[0])
		w.WaitForAnswers(ctx, "pod", 1, nil)
	},
}
