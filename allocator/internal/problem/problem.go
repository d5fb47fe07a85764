// Package problem holds one allocation problem as data: what the drivers
// publish, what is allocated already, what the claims ask for.
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

// Problem is the input of an allocator. It is complete: everything an
// allocator may look at is in here.
type Problem struct {
	// Features are what the allocator may use. Nil stands for the features
	// that are on by default in Kubernetes 1.37.
	Features *Features `json:"features,omitempty"`
	// SharingAffinity says that what slices declare about sharing affinity
	// counts (KEP-5981). False stands for Kubernetes 1.37, which ignores it.
	SharingAffinity bool `json:"sharingAffinity,omitempty"`
	// Nodes are where the claims may be wanted, each on its own.
	Nodes []*corev1.Node `json:"nodes"`
	// Classes are the device classes of the cluster.
	Classes []*resourceapi.DeviceClass `json:"classes,omitempty"`
	// Slices are the resource slices of the cluster, in the order in which
	// the allocator gets them.
	Slices []*resourceapi.ResourceSlice `json:"slices,omitempty"`
	// Allocated are claims whose status says what they hold. Their spec does
	// not matter.
	Allocated []*resourceapi.ResourceClaim `json:"allocated,omitempty"`
	// Claims are to be allocated together, in this order.
	Claims []*resourceapi.ResourceClaim `json:"claims"`
}

// Enabled returns the features of the problem.
func (p *Problem) Enabled() structured.Features {
	if p.Features == nil {
		return DefaultFeatures
	}
	return structured.Features(*p.Features)
}

// State returns what the allocated claims hold, as the scheduler gathers it:
// admin access holds nothing, a result with a share ID holds a share of its
// device, any other result the device as a whole.
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

// Lister returns the classes in the form that allocators take.
func (p *Problem) Lister() structured.DeviceClassLister {
	return lister(p.Classes)
}

// Clone returns a copy that shares nothing with the problem.
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
