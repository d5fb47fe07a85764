// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/internal/fault"
)

// repelled returns whether a device has a taint that excludes it from an alternative, which does not tolerate it.
func repelled(a *alternative, slice *pools.Slice, i int) bool {
	taints := slice.API.Spec.Devices[i].Taints
	if fault.ComparesFirstTaintOnly {
		taints = taints[:min(1, len(taints))]
	}
	if fault.ComparesTwoTaints {
		taints = taints[:min(2, len(taints))]
	}
	for j := range taints {
		taint := &taints[j]
		if pools.Repels(taint) && !slices.ContainsFunc(a.Tolerations, func(t resourceapi.DeviceToleration) bool { return tolerates(t, taint) }) {
			return true
		}
	}
	return false
}

// tolerates returns whether a toleration applies to a taint (API: DeviceToleration).
func tolerates(t resourceapi.DeviceToleration, taint *resourceapi.DeviceTaint) bool {
	if fault.IgnoresTimedTolerations && t.TolerationSeconds != nil {
		return false
	}
	if fault.ComparesBeginningsOfKeys && t.Key != "" && strings.HasPrefix(taint.Key, t.Key) {
		t.Key = taint.Key
	}
	if fault.ComparesBeginningsOfValues && strings.HasPrefix(t.Value, taint.Value) {
		t.Value = taint.Value
	}
	if fault.IgnoresTolerationKeys {
		t.Key = ""
	}
	if fault.IgnoresTolerationValues {
		t.Operator = resourceapi.DeviceTolerationOpExists
	}
	if fault.ComparesAnyValue {
		t.Operator = resourceapi.DeviceTolerationOpEqual
	}
	if fault.IgnoresTolerationEffects {
		t.Effect = ""
	}
	return resourceclaim.ToleratesTaint(t, *taint)
}
