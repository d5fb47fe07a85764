// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools

import (
	"fmt"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	operators "k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	draapi "k8s.io/dynamic-resource-allocation/api"

	"github.com/draconform/draconform/internal/fault"
)

func uniqueName(name string) draapi.UniqueString { return draapi.MakeUniqueString(name) }

// selection determines which nodes match a slice or a device: by name, all nodes, or by a selector.
type selection struct {
	name     string
	all      bool
	selector *nodeaffinity.NodeSelector
	api      *corev1.NodeSelector
	key      string // Equal selectors have equal keys.
	err      error  // The selector cannot be parsed.
}

// newSelection reads the three API fields. The name takes precedence over all nodes, which take precedence over the
// selector. If none of them is set, no node matches.
func newSelection(name *string, all *bool, selector *corev1.NodeSelector) selection {
	switch {
	case name != nil && *name != "":
		return selection{name: *name}
	case all != nil && *all:
		return selection{all: !fault.IgnoresAllNodes}
	case selector != nil:
		if fault.IgnoresNodeFields || fault.ComparesNoLabelNumbers {
			selector = misread(selector)
		}
		parsed, err := nodeaffinity.NewNodeSelector(selector)
		if err != nil {
			return selection{err: fmt.Errorf("failed to parse node selector %s: %w", selector.String(), err)}
		}
		return selection{selector: parsed, api: selector, key: selectorKey(selector)}
	}
	return selection{}
}

// misread returns a selector as the faults read it.
func misread(selector *corev1.NodeSelector) *corev1.NodeSelector {
	selector = selector.DeepCopy()
	for i := range selector.NodeSelectorTerms {
		term := &selector.NodeSelectorTerms[i]
		if fault.IgnoresNodeFields {
			term.MatchFields = nil
		}
		for j := range term.MatchExpressions {
			e := &term.MatchExpressions[j]
			if fault.ComparesNoLabelNumbers && (e.Operator == corev1.NodeSelectorOpGt || e.Operator == corev1.NodeSelectorOpLt) {
				e.Operator, e.Values = corev1.NodeSelectorOpExists, nil
			}
		}
	}
	return selector
}

// labelOperators maps the operators of node selectors to those of label selectors.
var labelOperators = map[corev1.NodeSelectorOperator]operators.Operator{
	corev1.NodeSelectorOpIn:           operators.In,
	corev1.NodeSelectorOpNotIn:        operators.NotIn,
	corev1.NodeSelectorOpExists:       operators.Exists,
	corev1.NodeSelectorOpDoesNotExist: operators.DoesNotExist,
	corev1.NodeSelectorOpGt:           operators.GreaterThan,
	corev1.NodeSelectorOpLt:           operators.LessThan,
}

// labelsOnly converts a selector with one term that uses only labels to a label selector, which is evaluated much
// faster. It returns nil for any other selector.
func labelsOnly(selector *corev1.NodeSelector) labels.Selector {
	if len(selector.NodeSelectorTerms) != 1 {
		return nil
	}
	term := &selector.NodeSelectorTerms[0]
	if len(term.MatchFields) > 0 || len(term.MatchExpressions) == 0 {
		return nil
	}
	all := labels.NewSelector()
	for i := range term.MatchExpressions {
		e := &term.MatchExpressions[i]
		r, err := labels.NewRequirement(e.Key, labelOperators[e.Operator], e.Values)
		if err != nil { // There is none: newSelection has parsed the selector.
			return nil
		}
		all = all.Add(*r)
	}
	return all
}

// selectorKey encodes a selector so that equal selectors have equal strings.
func selectorKey(selector *corev1.NodeSelector) string {
	var b strings.Builder
	requirements := func(kind byte, list []corev1.NodeSelectorRequirement) {
		for i := range list {
			b.WriteByte(kind)
			b.WriteString(list[i].Key)
			b.WriteByte(0)
			b.WriteString(string(list[i].Operator))
			for _, value := range list[i].Values {
				b.WriteByte(0)
				b.WriteString(value)
			}
		}
	}
	for i := range selector.NodeSelectorTerms {
		b.WriteByte(1)
		requirements(2, selector.NodeSelectorTerms[i].MatchExpressions)
		requirements(3, selector.NodeSelectorTerms[i].MatchFields)
	}
	return b.String()
}

// locate parses the node selection of the slice and, with per-device node selection, of its devices.
func (s *Slice) locate() {
	spec := &s.API.Spec
	if fault.IgnoresSliceSelectors && spec.NodeSelector != nil {
		s.nodes = selection{all: true}
	} else {
		s.nodes = newSelection(spec.NodeName, spec.AllNodes, spec.NodeSelector)
	}
	if fault.KeepsFirstSelection {
		s.nodes = firstSelection(s.API.UID, s.nodes)
	}
	if !perDevice(s) {
		return
	}
	s.devices = make([]selection, len(spec.Devices))
	for i := range spec.Devices {
		device := &spec.Devices[i]
		if fault.IgnoresFieldsOfDevices && device.NodeSelector != nil {
			s.devices[i] = newSelection(device.NodeName, device.AllNodes, withoutFields(device.NodeSelector))
			continue
		}
		s.devices[i] = newSelection(device.NodeName, device.AllNodes, device.NodeSelector)
	}
}

// firstSelections are the node selections of slices when firstSelection was called first, by UID.
var firstSelections sync.Map

// firstSelection returns the node selection that a slice had first, as a fault sees it.
func firstSelection(slice types.UID, now selection) selection {
	first, _ := firstSelections.LoadOrStore(slice, now)
	return first.(selection)
}

// withoutFields returns a selector without requirements for fields, as a fault reads it.
func withoutFields(selector *corev1.NodeSelector) *corev1.NodeSelector {
	selector = selector.DeepCopy()
	for i := range selector.NodeSelectorTerms {
		selector.NodeSelectorTerms[i].MatchFields = nil
	}
	return selector
}

func perDevice(s *Slice) bool {
	return s.API.Spec.PerDeviceNodeSelection != nil && *s.API.Spec.PerDeviceNodeSelection
}
