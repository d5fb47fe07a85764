// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package publish lays out the inventory of a node as ResourceSlices, in a form
// that the cluster supports.
package publish

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/version"
)

// Form is a layout of an inventory in ResourceSlices.
type Form int

const (
	// SeparateCounters puts counter sets into separate slices. Kubernetes 1.35
	// and later require this.
	SeparateCounters Form = iota
	// CountersWithDevices puts a counter set and the devices that consume from
	// it into the same slice. Kubernetes 1.34 requires this.
	CountersWithDevices
	// NoCounters omits counters and all devices that depend on them, which are
	// the partitions. It is for clusters without the feature gate
	// DRAPartitionableDevices.
	NoCounters
)

// String returns a short description of the form.
func (f Form) String() string {
	switch f {
	case SeparateCounters:
		return "counters in separate slices"
	case CountersWithDevices:
		return "counters in the slices of their devices"
	case NoCounters:
		return "whole devices without counters"
	default:
		return fmt.Sprintf("unknown form %d", int(f))
	}
}

// FormOf returns the form for a Kubernetes release in which
// DRAPartitionableDevices is enabled. The release is "<major>.<minor>",
// optionally followed by more. It must be 1.34 or later. 1.34 is the first
// release with resource.k8s.io/v1.
func FormOf(release string) (Form, error) {
	parsed, err := version.ParseGeneric(release)
	if err != nil {
		return 0, fmt.Errorf("parse Kubernetes release: %w", err)
	}
	switch {
	case parsed.AtLeast(version.MajorMinor(1, 35)):
		return SeparateCounters, nil
	case parsed.AtLeast(version.MajorMinor(1, 34)):
		return CountersWithDevices, nil
	default:
		return 0, fmt.Errorf("release %s of Kubernetes does not serve resource.k8s.io/v1, 1.34 is the first that does", release)
	}
}
