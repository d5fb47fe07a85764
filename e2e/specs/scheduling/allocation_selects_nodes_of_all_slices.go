// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"maps"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// allocationSelectsNodesOfAllSlices publishes devices in slices that select nodes by
// different labels, and by the same label with different operators. Claims request
// two devices each. Pods on other nodes use the claims after that.
var allocationSelectsNodesOfAllSlices = suite.Spec{
	ID:           "allocation-selects-nodes-of-all-slices",
	Description:  "An allocation of devices of several ResourceSlices selects the nodes that all of these slices select.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-allocation-has-node-selector"},
	Body: func(ctx context.Context, e *env.Env) {
		const rack = "draconform.dev/rack"
		sim := simulated.CreateNodes(ctx, e, 4, func(i int, node *corev1.Node) {
			maps.Copy(node.Labels, []map[string]string{{zone: "a", rack: "1"}, {zone: "a"}, {zone: "b", rack: "2"}, {zone: "a", rack: "3"}}[i])
		})
		nodes := sim.Names
		for name, expression := range map[string]corev1.NodeSelectorRequirement{
			"in-zone":   {Key: zone, Operator: corev1.NodeSelectorOpIn, Values: []string{"a"}},
			"in-rack":   {Key: rack, Operator: corev1.NodeSelectorOpExists},
			"not-third": {Key: rack, Operator: corev1.NodeSelectorOpNotIn, Values: []string{"3"}},
		} {
			selector := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{expression}}}}
			sim.CreatePool(ctx, simulated.Pool{Name: name, Selector: selector}, fixture.Devices(name+"-0", name+"-1"))
		}
		device := func(name string) devices.Request {
			return devices.Request{Name: name, Device: fixture.SubRequestFor(sim, name).Device}
		}
		for claim, of := range map[string]struct {
			requests []devices.Request
			nodes    []string
		}{
			"zone-and-rack":  {[]devices.Request{device("in-zone"), device("in-rack")}, []string{nodes[0], nodes[3]}},
			"rack-not-third": {[]devices.Request{device("not-third"), device("in-rack")}, []string{nodes[0], nodes[2]}},
		} {
			pods.CreateWithClaimOnNode(ctx, e, claim, nodes[0], devices.NewDeviceClaim(of.requests))
			pods.WaitForScheduled(ctx, e, claim)
			gomega.Expect(claims.GetNodesOfAllocation(ctx, e, claim, nodes)).To(gomega.Equal(of.nodes), "the allocation of claim %s should select the nodes that the slices of both devices select", claim)
		}
		pods.CreateUsingClaims(ctx, e, "elsewhere", pods.Options{Node: nodes[1]}, "zone-and-rack")
		pods.WaitForUnschedulable(ctx, e, "elsewhere", "only one of the two devices of its claim is available on its node")
	},
}
