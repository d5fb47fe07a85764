// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicPotentialNodesAreLimited creates more nodes than a list can have, even if a scheduler
// considers only half of them, and excludes all nodes of the first list.
var classicPotentialNodesAreLimited = suite.Spec{
	ID:           "classic-potential-nodes-are-limited",
	Description:  "In a large cluster, the scheduler asks about some of the nodes that suit a pod, and about others if none of these is suitable.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-large-clusters"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 300)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		pod := c.CreatePod(ctx, "pod", "claim")
		c.WaitForSelectedNode(ctx, "pod", "the scheduler should ask about some of 300 nodes")
		found, err := c.GetContext(ctx, "pod")
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		excluded, selected := found.Spec.PotentialNodes, found.Spec.SelectedNode
		gomega.Expect(excluded).NotTo(gomega.BeEmpty())
		gomega.Expect(excluded).To(gomega.HaveEach(gomega.BeElementOf(c.Nodes)))
		if !slices.Contains(excluded, selected) {
			excluded[0] = selected // The answer of a driver has at most 128 nodes as well, with the selected one.
		}
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(0), UnsuitableNodes: excluded})
		node := c.WaitForContext(ctx, "pod", "other nodes may be suitable", func(found classic.Context) error {
			others := slices.DeleteFunc(slices.Clone(found.Spec.PotentialNodes), func(node string) bool { return slices.Contains(excluded, node) })
			if node := found.Spec.SelectedNode; slices.Contains(excluded, node) || len(others) == 0 {
				return fmt.Errorf("node %s is selected, and %d other nodes are potential nodes", node, len(others))
			}
			return nil
		}).Spec.SelectedNode
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), node), pod)
		gomega.Expect(c.WaitForBound(ctx, "pod", "its claim is allocated")).To(gomega.Equal(node))
	},
}
