// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicObjectsAreValidated tries to store classes, allocations and reservations with one invalid field each.
var classicObjectsAreValidated = suite.Spec{
	ID: "classic-objects-are-validated",
	Description: "The nodes of classes and of allocations are valid selectors, the devices of an allocation are those of requests of the claim, and " +
		"reservations name a pod. A user cannot allocate a claim by creating it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-objects-are-validated"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		wrong := corev1.NodeSelectorRequirement{Key: corev1.LabelHostname, Operator: "Resembles", Values: c.Nodes}
		term := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{wrong}}
		selector := map[string]any{"nodeSelectorTerms": []corev1.NodeSelectorTerm{term}}
		expectInvalid(c.TryCreateClass(ctx, "wrong", map[string]any{"suitableNodes": selector}), "suitableNodes.nodeSelectorTerms", "an unknown operator in the nodes of a class")
		none := map[string]any{"nodeSelectorTerms": []any{}}
		expectInvalid(c.TryCreateClass(ctx, "wrong", map[string]any{"suitableNodes": none}), "suitableNodes.nodeSelectorTerms", "a class with nodes without a term")
		allocation := classic.AllocationOn(c.Driver("a"), c.Nodes...)
		gomega.Expect(c.TryCreateClaimWith(ctx, "claim", classic.ClaimSpec(c.Driver("a"), c.Class), map[string]any{"allocation": allocation})).To(gomega.Succeed())
		claim, err := c.GetClaim(ctx, "claim")
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(claim.Status.Allocation).To(gomega.BeNil(), "the status of a new claim should be dropped")
		allocate := func(allocation classic.Allocation) error {
			return c.TryStatus(ctx, "claim", map[string]any{"allocation": allocation})
		}
		expectInvalid(allocate(classic.AllocationFor(c.Driver("a"), term)), "allocation.nodeSelector.nodeSelectorTerms", "an unknown operator in the nodes of an allocation")
		for reason, device := range map[string]classic.AllocatedDevice{
			"results[0].request": {Request: "other", Driver: c.Driver("a"), Pool: "pool", Device: "device"},
			"results[0].driver":  {Request: "device", Driver: "Not_A_Driver", Pool: "pool", Device: "device"},
			"results[0].pool":    {Request: "device", Driver: c.Driver("a"), Pool: "Not_A_Pool", Device: "device"},
			"results[0].device":  {Request: "device", Driver: c.Driver("a"), Pool: "pool", Device: "Not_A_Device"},
		} {
			invalid := allocation
			invalid.Devices = &classic.AllocatedDevices{Results: []classic.AllocatedDevice{device}}
			expectInvalid(allocate(invalid), reason, "an allocation with an invalid "+reason)
		}
		gomega.Expect(allocate(allocation)).To(gomega.Succeed())
		for reason, user := range map[string]classic.Consumer{
			"reservedFor[0].resource: Required": {Name: "pod", UID: "1"},
			"reservedFor[0].name: Required":     {Resource: "pods", UID: "1"},
			"reservedFor[0].uid: Required":      {Resource: "pods", Name: "pod"},
		} {
			expectInvalid(c.TryStatus(ctx, "claim", map[string]any{"reservedFor": []classic.Consumer{user}}), reason, "a reservation without all fields")
		}
	},
}
