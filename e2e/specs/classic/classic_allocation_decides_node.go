// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicAllocationDecidesNode creates pods for claims that are allocated for some of three
// nodes, which the allocations select by labels or by name, in one or several terms.
var classicAllocationDecidesNode = suite.Spec{
	ID:           "classic-allocation-decides-node",
	Description:  "A pod runs where all of its allocated claims are available.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-allocation-decides"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 3)
		driver, on := c.Driver("a"), func(nodes ...string) corev1.NodeSelectorTerm {
			return corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{{
				Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: nodes,
			}}}
		}
		for claim, allocation := range map[string]classic.Allocation{
			"last":      classic.AllocationOn(driver, c.Nodes[2]),
			"by-name":   classic.AllocationFor(driver, on(c.Nodes[1])),
			"in-terms":  classic.AllocationFor(driver, on(c.Nodes[0]), on(c.Nodes[2])),
			"first-two": classic.AllocationOn(driver, c.Nodes[:2]...),
			"last-two":  classic.AllocationOn(driver, c.Nodes[1:]...),
		} {
			c.CreateClaim(ctx, claim, driver, c.Class)
			c.Allocate(ctx, claim, allocation)
		}
		for _, pod := range []struct {
			name   string
			claims []string
			node   string
		}{
			{"pod", []string{"last"}, c.Nodes[2]},
			{"by-name", []string{"by-name"}, c.Nodes[1]},
			{"in-terms", []string{"in-terms", "last"}, c.Nodes[2]},
			{"both", []string{"first-two", "last-two"}, c.Nodes[1]},
		} {
			c.CreatePod(ctx, pod.name, pod.claims...)
			bound := c.WaitForBound(ctx, pod.name, "its claims are allocated")
			gomega.Expect(bound).To(gomega.Equal(pod.node), "pod %s: all of its claims are available on this node only", pod.name)
		}
	},
}
