// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// Labels of the nodes of specs about slices that select nodes.
const (
	zone  = "draconform.dev/zone"
	slots = "draconform.dev/slots"
)

// selection is a slice that selects some of three nodes.
type selection struct {
	// Name is the name of the pool, and the beginning of the names of its devices.
	Name string
	// Expressions and Fields are the only term of the node selector. The values of
	// Fields are node-0 to node-2.
	Expressions, Fields []corev1.NodeSelectorRequirement
	// Nodes are the numbers of the selected nodes.
	Nodes []int
}

// createZones creates three nodes, of which the first two have different zones
// and slots.
func createZones(ctx context.Context, e *env.Env) *simulated.Nodes {
	ginkgo.GinkgoHelper()
	return simulated.CreateNodes(ctx, e, 3, func(i int, node *corev1.Node) {
		maps.Copy(node.Labels, []map[string]string{{zone: "a", slots: "9"}, {zone: "b", slots: "10"}, {}}[i])
	})
}

// expectSelections publishes the slices of a file, each with a device for every
// node, and asserts on which nodes pods get their device.
func expectSelections(ctx context.Context, e *env.Env, file string) {
	ginkgo.GinkgoHelper()
	sim := createZones(ctx, e)
	var scheduled []string
	refused := map[string]string{}
	for _, s := range fixture.ReadList[selection](data, file) {
		var names []string
		for i := range sim.Names {
			names = append(names, fmt.Sprintf("%s-%d", s.Name, i))
		}
		sim.CreatePool(ctx, simulated.Pool{Name: s.Name, Selector: s.selector(sim)}, fixture.Devices(names...))
		for i, name := range names {
			createPodOn(ctx, e, sim, i, name, name)
			if slices.Contains(s.Nodes, i) {
				scheduled = append(scheduled, name)
			} else {
				refused[name] = fmt.Sprintf("the slice of its device does not select node %d", i)
			}
		}
	}
	pods.WaitForScheduled(ctx, e, scheduled...)
	pods.WaitForEachUnschedulable(ctx, e, refused)
}

// selector returns the node selector with the names of the nodes.
func (s selection) selector(sim *simulated.Nodes) *corev1.NodeSelector {
	for i := range s.Fields {
		for j, value := range s.Fields[i].Values {
			node, err := strconv.Atoi(strings.TrimPrefix(value, "node-"))
			if err != nil {
				ginkgo.Fail(fmt.Sprintf("%q is no number of a node", value))
			}
			s.Fields[i].Values[j] = sim.Names[node]
		}
	}
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: s.Expressions, MatchFields: s.Fields}}}
}

// inZone selects the nodes of a zone.
func inZone(name string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: zone, Operator: corev1.NodeSelectorOpIn, Values: []string{name}}},
	}}}
}

// createPodFor creates a pod with a claim for the device with this name.
func createPodFor(ctx context.Context, e *env.Env, sim *simulated.Nodes, pod, device string) {
	ginkgo.GinkgoHelper()
	pods.CreateWithRequests(ctx, e, pod, fixture.RequestFor(sim, device))
}

// createPodOn is [createPodFor] for a pod that may only run on one of the nodes.
func createPodOn(ctx context.Context, e *env.Env, sim *simulated.Nodes, node int, pod, device string) {
	ginkgo.GinkgoHelper()
	pods.CreateWithClaimOnNode(ctx, e, pod, sim.Names[node], devices.NewDeviceClaim(fixture.RequestFor(sim, device)))
}
