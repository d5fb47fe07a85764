// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// allocationSelectsNodesByEachTerm writes an allocation of a device of all nodes whose node
// selector has two terms, as a scheduler may: one selects a node by its name, and the other one
// another node by its label.
var allocationSelectsNodesByEachTerm = suite.Spec{
	ID:           "allocation-selects-nodes-by-each-term",
	Description:  "If the node selector of an allocation has several terms, pods that use the claim are scheduled to the nodes that any of the terms selects, and to no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-terms-of-allocation"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 3)
		pool := e.UniqueName()
		sim.CreatePool(ctx, simulated.Pool{Name: pool}, fixture.Devices("card"))
		sim.SetLabel(ctx, sim.Names[0], zone, "a")
		_, err := claims.Create(ctx, e, "card", devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(claims.Allocate(ctx, e, "card", &resourceapi.AllocationResult{
			Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
				{Driver: sim.Driver, Pool: pool, Device: "card", Request: "device"},
			}},
			NodeSelector:        &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{called(sim.Names[1]), inZoneA}},
			AllocationTimestamp: ptr.To(metav1.Now()), // as in allocateOnFirstNode
		})).To(gomega.Succeed())
		// The claim is in use from the first pod on, so that it is not deallocated for the others.
		for _, pod := range []struct {
			name string
			node int
		}{{"by-name", 1}, {"by-label", 0}} {
			pods.CreateUsingClaims(ctx, e, pod.name, pods.Options{Node: sim.Names[pod.node]}, "card")
			pods.WaitForScheduled(ctx, e, pod.name)
		}
		pods.CreateUsingClaims(ctx, e, "by-none", pods.Options{Node: sim.Names[2]}, "card")
		pods.WaitForUnschedulable(ctx, e, "by-none", "no term of the allocation selects its node")
	},
}

// inZoneA selects the nodes of a zone.
var inZoneA = corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: zone, Operator: corev1.NodeSelectorOpIn, Values: []string{"a"}}}}

// called selects a node by its name.
func called(name string) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{name}}}}
}
