// Package publish brings the inventory of a node into ResourceSlices, in a form
// that the cluster understands.
package publish

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/version"
)

// Form is a way to lay out an inventory in ResourceSlices.
type Form int

const (
	// SeparateCounters puts counter sets into slices of their own, which
	// Kubernetes 1.35 and later require.
	SeparateCounters Form = iota
	// CountersWithDevices puts a counter set and the devices that consume
	// it into the same slice, which Kubernetes 1.34 requires.
	CountersWithDevices
	// NoCounters leaves out counters and all devices that must not be
	// offered without, for clusters without the feature gate
	// DRAPartitionableDevices: partitions.
	NoCounters
)

// String describes the form in a few words.
func (f Form) String() string {
	switch f {
	case SeparateCounters:
		return "counters in slices of their own"
	case CountersWithDevices:
		return "counters in the slices of their devices"
	case NoCounters:
		return "whole devices without counters"
	default:
		return fmt.Sprintf("unknown form %d", int(f))
	}
}

// FormOf returns the form for a release of Kubernetes in which
// DRAPartitionableDevices is enabled. The release is "<major>.<minor>", more
// may follow. It must be 1.34 or later, the first with resource.k8s.io/v1.
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
