// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicPotentialNodesFitPod creates a node that has what a pod selects, and
// others, and reads the potential nodes of the pod.
var classicPotentialNodesFitPod = suite.Spec{
	ID:           "classic-potential-nodes-fit-pod",
	Description:  "The potential nodes of a pod are nodes on which it can run in all other respects.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-potential-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 3)
		other := c.Simulated.AddNode(ctx, map[string]string{"draconform.dev/simulated-nodes": "none"})
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		c.CreatePod(ctx, "pod", "claim")
		found := c.WaitForContext(ctx, "pod", "the scheduler should list nodes", func(found classic.Context) error {
			if len(found.Spec.PotentialNodes) < len(c.Nodes) {
				return fmt.Errorf("the potential nodes are %v", found.Spec.PotentialNodes)
			}
			return nil
		})
		gomega.Expect(found.Spec.PotentialNodes).To(gomega.ConsistOf(c.Nodes), "the pod cannot run on node %s, and can on the others", other)
	},
}
