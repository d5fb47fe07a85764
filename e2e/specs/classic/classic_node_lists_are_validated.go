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

// classicNodeListsAreValidated writes PodSchedulingContexts.
var classicNodeListsAreValidated = suite.Spec{
	ID:           "classic-node-lists-are-validated",
	Description:  "The lists of nodes of a PodSchedulingContext have at most 128 different names of nodes, and one entry for each claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-node-list-limit"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		nodes := make([]string, 129)
		for i := range nodes {
			nodes[i] = fmt.Sprintf("node-%d", i)
		}
		potential := func(nodes ...string) map[string]any { return map[string]any{"potentialNodes": nodes} }
		expectInvalid(c.TryCreateContext(ctx, "none", potential(nodes...)), "may not be longer than 128", "129 potential nodes")
		expectInvalid(c.TryCreateContext(ctx, "none", potential("n", "n")), "Duplicate value", "a potential node twice")
		expectInvalid(c.TryCreateContext(ctx, "none", potential("Not_A_Node")), "Nodes[0]: Invalid value", "a potential node that cannot exist")
		gomega.Expect(c.TryCreateContext(ctx, "some", potential(nodes[:128]...))).To(gomega.Succeed())
		unsuitable := func(nodes ...string) error {
			return c.TryAnswer(ctx, "some", classic.Answer{Name: "a"}, classic.Answer{Name: "b", UnsuitableNodes: nodes})
		}
		expectInvalid(unsuitable(nodes...), "may not be longer than 128", "129 unsuitable nodes")
		expectInvalid(unsuitable("n", "n"), "Duplicate value", "an unsuitable node twice")
		expectInvalid(unsuitable("Not_A_Node"), "Nodes[0]: Invalid value", "an unsuitable node that cannot exist")
		expectInvalid(c.TryAnswer(ctx, "some", classic.Answer{Name: "a"}, classic.Answer{Name: "a"}), "Duplicate value", "a claim twice")
		gomega.Expect(unsuitable(nodes[:128]...)).To(gomega.Succeed(), "128 unsuitable nodes should be accepted")
	},
}
