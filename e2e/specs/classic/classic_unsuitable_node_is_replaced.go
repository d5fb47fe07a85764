// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicUnsuitableNodeIsReplaced reports the selected node of a pod as unsuitable, then
// the next one as well, and at last both of the others.
var classicUnsuitableNodeIsReplaced = suite.Spec{
	ID:           "classic-unsuitable-node-is-replaced",
	Description:  "A node that the driver reports as unsuitable is not selected any more, but another one, until it is suitable again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-unsuitable-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 3)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		c.CreatePod(ctx, "pod", "claim")
		first := c.WaitForSelectedNode(ctx, "pod", "a node should be selected")
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(0), UnsuitableNodes: []string{first}})
		second := c.WaitForSelectedNode(ctx, "pod", "the unsuitable node should be replaced", first)
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(0), UnsuitableNodes: []string{first, second}})
		third := c.WaitForSelectedNode(ctx, "pod", "the second unsuitable node should be replaced, too", first, second)
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(0), UnsuitableNodes: []string{second, third}})
		c.WaitForSelectedNode(ctx, "pod", "the first node is suitable again", second, third)
	},
}
