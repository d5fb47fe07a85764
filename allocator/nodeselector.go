// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocator

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/internal/fault"
)

// nodeSelector returns the nodes on which all of the devices can be used. This is only the given node if a device
// belongs to a node or binds to the node when it is allocated. Otherwise it is the conjunction of the selectors of
// the devices. Nil means all nodes.
func nodeSelector(picks []picked, node string) (*corev1.NodeSelector, error) {
	if fault.DropsNodeSelector {
		return nil, nil
	}
	var term corev1.NodeSelectorTerm
	for i := range picks {
		spec, device := &picks[i].slice.API.Spec, picks[i].device
		name, selector := spec.NodeName, spec.NodeSelector
		if spec.PerDeviceNodeSelection != nil && *spec.PerDeviceNodeSelection {
			name, selector = device.NodeName, device.NodeSelector
		}
		binds := device.BindsToNode != nil && (*device.BindsToNode || fault.BindsWhatStates) && !fault.IgnoresBindsToNode
		if fault.BindsByFirstDeviceOnly && i > 0 {
			binds = false
		}
		if name != nil || binds {
			return only(node), nil
		}
		if selector == nil || len(selector.NodeSelectorTerms) == 0 {
			continue
		}
		if n := len(selector.NodeSelectorTerms); n > 1 {
			return nil, fmt.Errorf("unsupported ResourceSlice.NodeSelector with %d terms", n)
		}
		if fault.SelectsNodesOfFirstSlice && len(term.MatchFields)+len(term.MatchExpressions) > 0 {
			continue
		}
		term.MatchFields = addRequirements(term.MatchFields, selector.NodeSelectorTerms[0].MatchFields)
		term.MatchExpressions = addRequirements(term.MatchExpressions, selector.NodeSelectorTerms[0].MatchExpressions)
	}
	if len(term.MatchFields) == 0 && len(term.MatchExpressions) == 0 {
		return nil, nil
	}
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}, nil
}

// only returns the selector of one node. It uses a single memory allocation because nearly every result has one.
func only(node string) *corev1.NodeSelector {
	s := &struct {
		selector corev1.NodeSelector
		terms    [1]corev1.NodeSelectorTerm
		fields   [1]corev1.NodeSelectorRequirement
		values   [1]string
	}{}
	s.values[0] = node
	s.fields[0] = corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: s.values[:]}
	s.terms[0].MatchFields = s.fields[:]
	s.selector.NodeSelectorTerms = s.terms[:]
	return &s.selector
}

// addRequirements adds the requirements that are not yet present. The order of the values of a requirement is
// ignored.
func addRequirements(to, from []corev1.NodeSelectorRequirement) []corev1.NodeSelectorRequirement {
	for _, requirement := range from {
		known := slices.ContainsFunc(to, func(r corev1.NodeSelectorRequirement) bool {
			return r.Key == requirement.Key && r.Operator == requirement.Operator && sets.New(r.Values...).Equal(sets.New(requirement.Values...))
		})
		if !known {
			to = append(to, requirement)
		}
	}
	return to
}
