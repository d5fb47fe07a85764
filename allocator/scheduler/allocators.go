// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apiversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/internal/fault"
)

// searcher determines, for one state of the cluster, whether and how claims can be allocated on a node. It is safe
// for concurrent use.
type searcher interface {
	structured.Allocator
	// Fits reports whether Allocate would find an allocation.
	Fits(ctx context.Context, node *corev1.Node, claims []*resourceapi.ResourceClaim) (bool, error)
	// Explain returns why a pod finds no devices on a node.
	Explain(ctx context.Context, node *corev1.Node, claims []*resourceapi.ResourceClaim, holders explain.Holders) (*explain.Explanation, error)
}

// allocators creates searchers.
type allocators interface {
	// New returns a searcher. holders are the claims that hold the allocated devices. They may be nil if no slice
	// declares a sharing affinity.
	New(allocated allocator.Usage, holders []*resourceapi.ResourceClaim, classes structured.DeviceClassLister, slices []*resourceapi.ResourceSlice) searcher
}

// indexed creates searchers from one index of the ResourceSlices. From pod to pod, only changed slices are
// processed again.
type indexed struct {
	index *allocator.Index
}

func newIndexed(features structured.Features, sharingAffinity, sameSliceCounters bool) indexed {
	return indexed{allocator.NewIndex(allocator.Config{
		Features: features,
		// Two of these are fixed in upstream's later releases: an invalid pool must not make a pod unschedulable on
		// all nodes, and a device must not be allocated exclusively while another claim holds a share of it.
		Fixes: allocator.Fixes{
			PoolErrorsStayOnNode: true, LiveShareBlocksDedicated: true, SameSliceCounters: sameSliceCounters || fault.AcceptsOldForm,
		},
		SharingAffinity:     sharingAffinity,
		PackSharingAffinity: sharingAffinity,
	})}
}

func (x indexed) New(allocated allocator.Usage, holders []*resourceapi.ResourceClaim, classes structured.DeviceClassLister, slices []*resourceapi.ResourceSlice) searcher {
	x.index.Update(slices)
	return x.index.AllocatorFor(allocated, allocator.NewAffinityState(holders), classes)
}

// separateCounters is the release since which shared counters are defined in a slice of their own (KEP-4815). In
// older releases they are defined in the slice of the devices that consume them.
var separateCounters = apiversion.MajorMinor(1, 35)

// allocatorFeatures returns the features that affect allocation.
func allocatorFeatures(f feature.Features) structured.Features {
	return structured.Features{
		AdminAccess:             f.EnableDRAAdminAccess,
		PrioritizedList:         f.EnableDRAPrioritizedList,
		PartitionableDevices:    f.EnableDRAPartitionableDevices,
		DeviceTaints:            f.EnableDRADeviceTaints,
		DeviceBindingAndStatus:  f.EnableDRADeviceBindingConditions && f.EnableDRAResourceClaimDeviceStatus,
		ConsumableCapacity:      f.EnableDRAConsumableCapacity,
		FractionalCapacityRange: f.EnableDRAFractionalCapacityRange,
		ListTypeAttributes:      f.EnableDRAListTypeAttributes,
		OptionalNodeOperations:  f.EnableDRAOptionalNodeOperations,
		DerivedAttributes:       f.EnableDRADerivedAttributes,
		CompatibilityGroups:     f.EnableDRADeviceCompatibilityGroups,
	}
}
