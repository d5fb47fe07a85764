// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicContextHasTwoWriters writes the spec of a PodSchedulingContext, as a scheduler does,
// and its status, as a driver does, with changes of the other part in each request.
var classicContextHasTwoWriters = suite.Spec{
	ID:           "classic-context-has-two-writers",
	Description:  "The scheduler writes the spec of a PodSchedulingContext, and drivers its status. A request for one of them does not change the other.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-context-has-two-writers"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		gomega.Expect(c.TryCreateContext(ctx, "context", map[string]any{"potentialNodes": c.Nodes})).To(gomega.Succeed())
		first := classic.Answer{Name: "claim", UnsuitableNodes: c.Nodes[:1]}
		c.Answer(ctx, "context", first)
		asked := map[string]any{"selectedNode": c.Nodes[1]}
		gomega.Expect(c.TryChangeContext(ctx, "context", map[string]any{"spec": asked, "status": map[string]any{"resourceClaims": nil}})).To(gomega.Succeed())
		found, err := c.GetContext(ctx, "context")
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(found.Spec.SelectedNode).To(gomega.Equal(c.Nodes[1]))
		gomega.Expect(classic.HasAnswers(first)(found)).To(gomega.Succeed(), "a change of the spec should keep the answers")
		second := classic.Answer{Name: "claim", UnsuitableNodes: c.Nodes[1:]}
		answered := map[string]any{"resourceClaims": []classic.Answer{second}}
		gomega.Expect(c.TryChangeContext(ctx, "context", map[string]any{"spec": map[string]any{"selectedNode": nil}, "status": answered}, "status")).To(gomega.Succeed())
		found, err = c.GetContext(ctx, "context")
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(classic.HasAnswers(second)(found)).To(gomega.Succeed())
		gomega.Expect(found.Spec.SelectedNode).To(gomega.Equal(c.Nodes[1]), "a change of the status should keep the selected node")
	},
}
