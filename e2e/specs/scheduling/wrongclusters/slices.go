// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongSlices are clusters whose scheduler makes mistakes with the nodes of
// slices.
var wrongSlices = wrong.Table{
	"scheduler selects the nodes of a pool by its first slice": {
		Options: wrong.Misreads(selectNodesByFirstSlice), Spec: "slices-of-a-pool-select-nodes",
		Want: []string{"pod rack is not scheduled"},
	},
	"scheduler keeps the generations of slices": {
		Options: wrong.Misreads(keepGenerations()), Spec: "slices-are-updated-in-place",
		Want: []string{"a pod like waiting should be pending, because one of the two slices of the pool has a newer generation"},
	},
	"scheduler keeps devices that an update removes": {
		Options: wrong.Misreads(keepDevices()), Spec: "slices-are-updated-in-place",
		Want: []string{"pod former should be unschedulable, because an update of its slice has removed its device"},
	},
	"scheduler ignores node selectors of slices": {
		Options: misreadsSlices(forAllNodes), Spec: "slice-selects-nodes-by-label",
		Want: []string{"because the slice of its device does not select node"},
	},
	"scheduler treats NotIn like In": {
		Options: misreadsRequirements(replaceOperator(corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpIn)), Spec: "slice-selects-nodes-by-label",
		Want: []string{"pod not-in-0 is not scheduled"},
	},
	"scheduler needs a label for NotIn": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				if selector := slice.Spec.NodeSelector; selector != nil && selector.NodeSelectorTerms[0].MatchExpressions[0].Operator == corev1.NodeSelectorOpNotIn {
					term := &selector.NodeSelectorTerms[0]
					term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: term.MatchExpressions[0].Key, Operator: corev1.NodeSelectorOpExists})
				}
			}
		}),
		Spec: "slice-selects-nodes-by-label", Want: []string{"pod not-in-2 is not scheduled"},
	},
	"scheduler treats Exists like DoesNotExist": {
		Options: misreadsRequirements(replaceOperator(corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist)), Spec: "slice-selects-nodes-by-label",
		Want: []string{"pod exists-0 is not scheduled"},
	},
	"scheduler treats DoesNotExist like Exists": {
		Options: misreadsRequirements(replaceOperator(corev1.NodeSelectorOpDoesNotExist, corev1.NodeSelectorOpExists)), Spec: "slice-selects-nodes-by-label",
		Want: []string{"pod does-not-exist-2 is not scheduled"},
	},
	"scheduler treats Gt like Exists": {
		Options: misreadsRequirements(exists(corev1.NodeSelectorOpGt)), Spec: "slice-selects-nodes-by-label",
		Want: []string{"pod greater-0 should be unschedulable"},
	},
	"scheduler treats Lt like Exists": {
		Options: misreadsRequirements(exists(corev1.NodeSelectorOpLt)), Spec: "slice-selects-nodes-by-label",
		Want: []string{"pod less-1 should be unschedulable"},
	},
	"scheduler evaluates the first requirement only": {
		Options: misreadsTerms(func(t *corev1.NodeSelectorTerm) {
			t.MatchExpressions = t.MatchExpressions[:min(1, len(t.MatchExpressions))]
		}),
		Spec: "slice-selects-nodes-by-label", Want: []string{"pod both-0 should be unschedulable"},
	},
	"scheduler knows no fields of nodes": {
		Options: misreadsTerms(func(t *corev1.NodeSelectorTerm) { t.MatchFields = nil }), Spec: "slice-selects-nodes-by-name",
		Want: []string{"pod in-1 is not scheduled"},
	},
	"scheduler ignores the fields of terms with labels": {
		Options: misreadsTerms(func(t *corev1.NodeSelectorTerm) {
			if len(t.MatchExpressions) > 0 {
				t.MatchFields = nil
			}
		}),
		Spec: "slice-selects-nodes-by-name", Want: []string{"pod both-0 should be unschedulable"},
	},
	"scheduler allocates devices of slices for all nodes on one node": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				if ptr.Deref(slice.Spec.AllNodes, false) && len(s.Nodes) > 0 {
					slice.Spec.AllNodes, slice.Spec.NodeName = nil, &s.Nodes[0].Name
				}
			}
		}),
		Spec: "slice-is-for-all-nodes", Want: []string{"pod user is not scheduled"},
	},
	"scheduler allocates a device once for each node": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(*resourceapi.ResourceClaim) bool { return s.Pod.Name == "late" })
		}),
		Spec: "slice-is-for-all-nodes", Want: []string{"pod late should be unschedulable, because the device is allocated for a pod on another node"},
	},
	"scheduler writes allocations without node selectors": {
		Options: miswritesSelectors(func(a *resourceapi.AllocationResult, _ *fakecluster.Scene) { a.NodeSelector = nil }), Spec: "slice-selection-is-in-allocation",
		Want: []string{"should select the nodes of the slices of its devices"},
	},
	"scheduler keeps all claims on the node of the first pod": {
		Options: miswritesSelectors(func(a *resourceapi.AllocationResult, s *fakecluster.Scene) {
			a.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{s.Nodes[0].Name}},
			}}}}
		}),
		Spec: "slice-selection-is-in-allocation", Want: []string{"should select the nodes of the slices of its devices"},
	},
	"scheduler selects all nodes if one device is for all nodes": {
		Options: miswritesSelectors(func(a *resourceapi.AllocationResult, _ *fakecluster.Scene) {
			if slices.ContainsFunc(a.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool { return r.Pool == "fabric" }) {
				a.NodeSelector = nil
			}
		}),
		Spec: "slice-selection-is-in-allocation", Want: []string{"-and-", "should select the nodes of the slices of its devices"},
	},
	"scheduler does not retry pods when nodes change": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "nodes"}), Spec: "relabelled-node-gets-devices",
		Want: []string{"pod b is not scheduled"},
	},
	"scheduler reads any label as the zone": {
		Options: misreadsRequirements(exists(corev1.NodeSelectorOpIn)), Spec: "relabelled-node-gets-devices",
		Want: []string{"pod a should be unschedulable, because still no node is in the zone of its device"},
	},
	"scheduler remembers labels of nodes": {
		Options: wrong.Misreads(rememberNodes()), Spec: "relabelled-node-loses-devices",
		Want: []string{"a pod like next should be pending, because the slice of its device does not select the node any more"},
	},
}

func misreadsSlices(change func(*resourceapi.ResourceSliceSpec)) fakecluster.Options {
	return wrong.Misreads(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			change(&slice.Spec)
		}
	})
}

func misreadsTerms(change func(*corev1.NodeSelectorTerm)) fakecluster.Options {
	return misreadsSlices(func(slice *resourceapi.ResourceSliceSpec) {
		if slice.NodeSelector != nil {
			change(&slice.NodeSelector.NodeSelectorTerms[0])
		}
	})
}

func misreadsRequirements(change func(*corev1.NodeSelectorRequirement)) fakecluster.Options {
	return misreadsTerms(func(t *corev1.NodeSelectorTerm) {
		for i := range t.MatchExpressions {
			change(&t.MatchExpressions[i])
		}
	})
}

func forAllNodes(slice *resourceapi.ResourceSliceSpec) {
	if slice.NodeSelector != nil {
		slice.NodeSelector, slice.AllNodes = nil, ptr.To(true)
	}
}

func replaceOperator(from, to corev1.NodeSelectorOperator) func(*corev1.NodeSelectorRequirement) {
	return func(r *corev1.NodeSelectorRequirement) {
		if r.Operator == from {
			r.Operator = to
		}
	}
}

// exists returns a change that replaces an operator with values by Exists.
func exists(from corev1.NodeSelectorOperator) func(*corev1.NodeSelectorRequirement) {
	return func(r *corev1.NodeSelectorRequirement) {
		if r.Operator == from {
			r.Operator, r.Values = corev1.NodeSelectorOpExists, nil
		}
	}
}

// miswritesSelectors returns the options of a cluster whose scheduler changes the
// node selectors of allocations.
func miswritesSelectors(change func(*resourceapi.AllocationResult, *fakecluster.Scene)) fakecluster.Options {
	return wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
		for i := range results {
			change(&results[i], s)
		}
	}})
}

// rememberNodes makes the scheduler see each node as it was at first.
func rememberNodes() func(*fakecluster.Scene) {
	first := map[string]*corev1.Node{}
	return func(s *fakecluster.Scene) {
		for i, node := range s.Nodes {
			if first[node.Name] == nil {
				first[node.Name] = node
			}
			s.Nodes[i] = first[node.Name]
		}
	}
}

// selectNodesByFirstSlice makes the scheduler see the devices of all slices of a pool on the nodes
// of the first one.
func selectNodesByFirstSlice(s *fakecluster.Scene) {
	first := map[string]*resourceapi.ResourceSliceSpec{}
	for _, slice := range s.Objects.Slices {
		spec := &slice.Spec
		if of := first[spec.Pool.Name]; of != nil {
			spec.NodeName, spec.NodeSelector, spec.AllNodes = of.NodeName, of.NodeSelector, of.AllNodes
		} else {
			first[spec.Pool.Name] = spec
		}
	}
}

// keepGenerations makes the scheduler see each slice in the generation that it had first.
func keepGenerations() func(*fakecluster.Scene) {
	first := map[string]int64{}
	return func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			if _, known := first[slice.Name]; !known {
				first[slice.Name] = slice.Spec.Pool.Generation
			}
			slice.Spec.Pool.Generation = first[slice.Name]
		}
	}
}

// keepDevices makes the scheduler see all devices that a slice has ever had.
func keepDevices() func(*fakecluster.Scene) {
	seen := map[string][]resourceapi.Device{}
	return func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			for _, device := range seen[slice.Name] {
				if !slices.ContainsFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == device.Name }) {
					slice.Spec.Devices = append(slice.Spec.Devices, device)
				}
			}
			seen[slice.Name] = slices.Clone(slice.Spec.Devices)
		}
	}
}
