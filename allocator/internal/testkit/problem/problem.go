// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package problem represents one allocation problem as data: what the drivers
// publish, what is allocated, and the claims.
package problem

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/state"
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

// State returns the allocated state, as the scheduler collects it.
func (p *Problem) State() structured.AllocatedState {
	return (&state.Objects{Claims: p.Allocated}).AllocatedState(p.Enabled())
}

// Lister returns the classes in the form that allocators require.
func (p *Problem) Lister() structured.DeviceClassLister {
	return (&state.Objects{Classes: p.Classes}).ClassLister()
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
