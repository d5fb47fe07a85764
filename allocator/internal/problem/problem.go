// Package problem represents one allocation problem as data: what the drivers
// publish, what is allocated, and the claims.
package problem

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"
)

// Problem is the complete input of an allocator.
type Problem struct {
	// Features are the features that the allocator may use. Nil means the
	// features that are enabled by default in Kubernetes 1.37.
	Features *Features `json:"features,omitempty"`
	// SharingAffinity enables the sharing affinities that slices declare
	// (KEP-5981). False corresponds to Kubernetes 1.37, which ignores them.
	SharingAffinity bool `json:"sharingAffinity,omitempty"`
	// Nodes are the nodes on which the claims are allocated, each independently
	// of the others.
	Nodes []*corev1.Node `json:"nodes"`
	// Classes are the device classes of the cluster.
	Classes []*resourceapi.DeviceClass `json:"classes,omitempty"`
	// Slices are the resource slices of the cluster, in the order in which they
	// are passed to the allocator.
	Slices []*resourceapi.ResourceSlice `json:"slices,omitempty"`
	// Allocated are claims with an allocation in their status. Their spec is
	// ignored.
	Allocated []*resourceapi.ResourceClaim `json:"allocated,omitempty"`
	// Claims are allocated together, in this order.
	Claims []*resourceapi.ResourceClaim `json:"claims"`
}

// Enabled returns the features of the problem.
func (p *Problem) Enabled() structured.Features {
	if p.Features == nil {
		return DefaultFeatures
	}
	return structured.Features(*p.Features)
}

// State returns the allocated state, as the scheduler collects it: results with
// admin access hold nothing, a result with a share ID holds a share of its
// device, and any other result holds the whole device.
func (p *Problem) State() structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	shares := p.Enabled().ConsumableCapacity
	for _, claim := range p.Allocated {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			device := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			switch {
			case ptr.Deref(result.AdminAccess, false):
			case shares && result.ShareID != nil:
				state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(device, result.ShareID))
				if result.ConsumedCapacity != nil {
					state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(device, result.ConsumedCapacity))
				}
			default:
				state.AllocatedDevices.Insert(device)
			}
		}
	}
	return state
}

// Lister returns the classes in the form that allocators require.
func (p *Problem) Lister() structured.DeviceClassLister {
	return lister(p.Classes)
}

// Clone returns a deep copy of the problem.
func (p *Problem) Clone() *Problem {
	clone := &Problem{SharingAffinity: p.SharingAffinity}
	if p.Features != nil {
		clone.Features = ptr.To(*p.Features)
	}
	for _, node := range p.Nodes {
		clone.Nodes = append(clone.Nodes, node.DeepCopy())
	}
	for _, class := range p.Classes {
		clone.Classes = append(clone.Classes, class.DeepCopy())
	}
	for _, slice := range p.Slices {
		clone.Slices = append(clone.Slices, slice.DeepCopy())
	}
	for _, claim := range p.Allocated {
		clone.Allocated = append(clone.Allocated, claim.DeepCopy())
	}
	for _, claim := range p.Claims {
		clone.Claims = append(clone.Claims, claim.DeepCopy())
	}
	return clone
}

type lister []*resourceapi.DeviceClass

func (l lister) List() ([]*resourceapi.DeviceClass, error) {
	return l, nil
}

func (l lister) Get(name string) (*resourceapi.DeviceClass, error) {
	i := slices.IndexFunc(l, func(class *resourceapi.DeviceClass) bool { return class.Name == name })
	if i < 0 {
		return nil, apierrors.NewNotFound(resourceapi.Resource("deviceclasses"), name)
	}
	return l[i], nil
}
