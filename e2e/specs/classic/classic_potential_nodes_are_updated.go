// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"
	"slices"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicPotentialNodesAreUpdated excludes the only node for a pod, and creates another
// one.
var classicPotentialNodesAreUpdated = suite.Spec{
	ID:           "classic-potential-nodes-are-updated",
	Description:  "While claims of a pod are pending, the scheduler adds nodes that become suitable to the potential nodes.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-potential-nodes-updated"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		for _, claim := range []string{"first", "second"} {
			c.CreateClaim(ctx, claim, c.Driver("a"), c.Class)
		}
		c.CreatePod(ctx, "pod", "first", "second")
		asks := func(node string) func(classic.Context) error {
			return func(found classic.Context) error {
				if !slices.Contains(found.Spec.PotentialNodes, node) {
					return fmt.Errorf("the potential nodes are %v", found.Spec.PotentialNodes)
				}
				return nil
			}
		}
		c.WaitForContext(ctx, "pod", "the scheduler should ask about the only node", asks(c.Nodes[0]))
		full := []string{c.Nodes[0]}
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(0), UnsuitableNodes: full}, classic.Answer{Name: pods.ClaimOf(1), UnsuitableNodes: full})
		c.WaitForContext(ctx, "pod", "the scheduler should ask about the new node", asks(c.Simulated.AddNode(ctx, nil)))
	},
}
