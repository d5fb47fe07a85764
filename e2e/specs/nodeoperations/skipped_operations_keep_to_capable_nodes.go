// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeoperations

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// skippedOperationsKeepToCapableNodes allocates an ordinary device, and then one without
// operations on nodes, to a claim. Their slices are for all nodes, so that the allocation
// selects no nodes. Two more pods use the claim: the first may only run on the node that does
// not declare the feature, and the second on the other one. The same is tried with a device
// of a slice that selects both nodes.
var skippedOperationsKeepToCapableNodes = suite.Spec{
	ID:           "skipped-operations-keep-to-capable-nodes",
	Description:  "Pods that use an allocated claim with a device for which kubelets skip operations are scheduled only to nodes that declare the feature, although the device is available on all nodes.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     operationFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5945-capable-nodes-for-allocated-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNodes(ctx, e)
		publish(ctx, sim, "network", all, "port")
		publish(ctx, sim, "ordinary", nil, "card")
		requests := append(fixture.RequestFor(sim, "card"), fixture.RequestFor(sim, "port")...)
		requests[0].Name = "ordinary"
		pods.CreateWithClaim(ctx, e, "first", devices.NewDeviceClaim(requests))
		pods.WaitForScheduled(ctx, e, "first")
		sim.CreateSlices(ctx, resourceapi.ResourceSliceSpec{
			Pool: resourceapi.ResourcePool{Name: "selecting"}, NodeSelector: nodesNamed(sim.Names), SkipNodeOperations: all, Devices: fixture.Devices("selected").Devices,
		})
		pods.CreateWithRequests(ctx, e, "selected", fixture.RequestFor(sim, "selected"))
		pods.WaitForScheduled(ctx, e, "selected")
		for _, claim := range []string{"first", "selected"} {
			pods.CreateUsingClaims(ctx, e, claim+"-incapable", pods.Options{Node: sim.Names[0]}, claim)
			pods.CreateUsingClaims(ctx, e, claim+"-capable", pods.Options{Node: sim.Names[capable]}, claim)
		}
		pods.WaitForScheduled(ctx, e, "first-capable", "selected-capable")
		for _, claim := range []string{"first", "selected"} {
			pods.ExpectNotBound(ctx, e, claim+"-incapable", "its node does not declare that it can skip operations")
		}
	},
}

// nodesNamed selects nodes by their names.
func nodesNamed(names []string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: names}},
	}}}
}
