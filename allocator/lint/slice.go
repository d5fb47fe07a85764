// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"

	"github.com/blang/semver/v4"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

func slicePool(p *pass) {
	for _, slice := range p.objects.Slices {
		at, pool := place{slice, spec.Child("pool")}, &slice.Spec.Pool
		if pool.ResourceSliceCount <= 0 {
			p.report(at.child("resourceSliceCount"), "is %d, must be at least 1", pool.ResourceSliceCount)
		}
		if pool.Generation < 0 {
			p.report(at.child("generation"), "is %d, must not be negative", pool.Generation)
		}
	}
}

func sliceContent(p *pass) {
	for _, slice := range p.objects.Slices {
		if slice.Spec.Devices != nil && slice.Spec.SharedCounters != nil {
			p.report(place{slice, spec}, "has devices and sharedCounters, only one of them is allowed: the counters belong into a slice of their own")
		}
	}
}

func sliceNodeSelection(p *pass) {
	for _, slice := range p.objects.Slices {
		s := &slice.Spec
		at, perDevice := place{slice, spec}, ptr.Deref(s.PerDeviceNodeSelection, false)
		p.nodeSelection(at, "nodeName, nodeSelector, allNodes and perDeviceNodeSelection",
			1, s.NodeName, s.NodeSelector, s.AllNodes, s.PerDeviceNodeSelection)
		for i := range s.Devices {
			d, want := &s.Devices[i], 0
			if perDevice {
				want = 1
			}
			p.nodeSelection(place{slice, devicesPath.Index(i)}, "nodeName, nodeSelector and allNodes", want, d.NodeName, d.NodeSelector, d.AllNodes, nil)
		}
	}
}

// nodeSelection verifies that want of the fields are set, and that the set ones are not empty.
func (p *pass) nodeSelection(at place, fields string, want int, name *string, selector *corev1.NodeSelector, all, perDevice *bool) {
	set := 0
	for _, isSet := range []bool{name != nil, selector != nil, all != nil, perDevice != nil} {
		if isSet {
			set++
		}
	}
	switch {
	case set != want && want == 0:
		p.report(at, "has %d of %s, none is allowed without perDeviceNodeSelection", set, fields)
	case set != want:
		p.report(at, "has %d of %s, exactly 1 must be set", set, fields)
	}
	if name != nil && *name == "" {
		p.report(at.child("nodeName"), "is empty, leave it out or name a node")
	}
	if selector != nil && len(selector.NodeSelectorTerms) != 1 {
		p.report(at.child("nodeSelector", "nodeSelectorTerms"), "has %d terms, must have exactly 1", len(selector.NodeSelectorTerms))
	}
	if all != nil && !*all {
		p.report(at.child("allNodes"), "is false, leave it out or make it true")
	}
	if perDevice != nil && !*perDevice {
		p.report(at.child("perDeviceNodeSelection"), "is false, leave it out or make it true")
	}
}

func sliceNodeOperations(p *pass) {
	for _, slice := range p.objects.Slices {
		skipped := slice.Spec.SkipNodeOperations
		unprepare := slices.Contains(skipped, resourceapi.SkipNodeOperationNodeUnprepareResources) || slices.Contains(skipped, resourceapi.SkipNodeOperationAll)
		if slices.Contains(skipped, resourceapi.SkipNodeOperationNodePrepareResources) && !unprepare {
			p.report(place{slice, spec.Child("skipNodeOperations")}, "skips NodePrepareResources, but not NodeUnprepareResources")
		}
	}
}

func countersMissing(p *pass) {
	for at, counters := range p.counters() {
		if len(counters) == 0 {
			p.report(at, "has no counters, at least 1 is required")
		}
	}
}

func attributeValue(p *pass) {
	for at, device := range p.devices() {
		for _, name := range sorted(device.Attributes) {
			p.attribute(at.child("attributes").key(string(name)), device.Attributes[name])
		}
	}
}

func (p *pass) attribute(at place, a resourceapi.DeviceAttribute) {
	if err := rules.CheckAttribute(a); err != nil {
		p.report(at, "%v", err)
	}
	if rules.IsList(a) && len(a.IntValues)+len(a.BoolValues)+len(a.StringValues)+len(a.VersionValues) == 0 {
		p.report(at, "has an empty list, at least 1 value is required")
	}
	texts, versions := rules.StringsOf(a)
	for _, text := range slices.Concat(texts, versions) {
		p.atMost(at, len(text), resourceapi.DeviceAttributeMaxValueLength, "characters")
	}
	for _, version := range versions {
		if _, err := semver.Parse(version); err != nil {
			p.report(at, "%q is not a semantic version as on semver.org: %s", version, err)
		}
	}
}

func requestPolicy(p *pass) {
	for at, device := range p.devices() {
		for _, name := range sorted(device.Capacity) {
			capacity := device.Capacity[name]
			if capacity.RequestPolicy == nil {
				continue
			}
			at := at.child("capacity").key(string(name)).child("requestPolicy")
			if !ptr.Deref(device.AllowMultipleAllocations, false) {
				p.report(at, "is not allowed on a device without allowMultipleAllocations")
			}
			for _, problem := range rules.PolicyProblems(at.path, capacity.RequestPolicy, capacity.Value) {
				p.report(place{at.object, problem.Field}, "%s", problem.Message)
			}
		}
	}
}

func bindingConditions(p *pass) {
	for at, device := range p.devices() {
		ready, failed := device.BindingConditions, device.BindingFailureConditions
		if (len(ready) == 0) != (len(failed) == 0) {
			p.report(at, "has %d bindingConditions and %d bindingFailureConditions, must have both or neither", len(ready), len(failed))
		}
		seen := sets.New[string]()
		for _, condition := range slices.Concat(ready, failed) {
			if seen.Has(condition) {
				p.report(at, "names condition %q twice", condition)
			}
			seen.Insert(condition)
		}
	}
}
