package scheduler

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apiversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/internal/fault"
)

// searcher answers for one state of the cluster whether, and how, claims can be allocated on a node.
// It is safe for concurrent use.
type searcher interface {
	structured.Allocator
	// Fits tells whether Allocate would find an allocation.
	Fits(ctx context.Context, node *corev1.Node, claims []*resourceapi.ResourceClaim) (bool, error)
	// Explain tells why, for a pod that found no node.
	Explain(ctx context.Context, node *corev1.Node, claims []*resourceapi.ResourceClaim, options ...allocator.ExplainOption) (*allocator.Explanation, error)
}

// allocators makes searchers.
type allocators interface {
	// New takes the claims that hold what is allocated; they may be nil if no slice declares a sharing affinity.
	New(allocated allocator.Usage, holders []*resourceapi.ResourceClaim, classes structured.DeviceClassLister, slices []*resourceapi.ResourceSlice) searcher
}

// indexed makes searchers from one index of the ResourceSlices. From pod to pod only slices that changed are
// looked at again.
type indexed struct {
	index *allocator.Index
}

func newIndexed(features structured.Features, sharingAffinity, sameSliceCounters bool) indexed {
	return indexed{allocator.NewIndex(allocator.Config{
		Features: features,
		// Those that upstream has fixed since: a bad pool must not keep a pod from all nodes, and a device
		// must not be given away while somebody holds a share of it.
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

// separateCounters is the release since which counters stand in a slice of their own (KEP-4815). In older ones they
// stand in the slice of the devices that consume them.
var separateCounters = apiversion.MajorMinor(1, 35)

// allocatorFeatures picks what concerns allocation.
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
