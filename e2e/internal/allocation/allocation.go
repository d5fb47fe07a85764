// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package allocation is the allocator of a fake cluster's scheduler: the bundled one in
// the same process, or in a process of its own, which can have a fault that the judging
// suite does not have.
package allocation

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// Index keeps what is known about ResourceSlices from one pod to the next.
type Index interface {
	// For updates the slices and returns an allocator for a state of the cluster. It
	// is valid until the next call.
	For(s State) (Allocator, error)
}

// State is what an allocator reads. A changed slice is a new object. Nothing of it
// changes while the allocator is used.
type State struct {
	Slices  []*resourceapi.ResourceSlice `json:"-"`
	Classes []*resourceapi.DeviceClass
	// Claims are the claims with an allocation.
	Claims []*resourceapi.ResourceClaim
	// Unknown are claims that only tell which devices have an unknown affinity value.
	Unknown []*resourceapi.ResourceClaim
}

// Allocator allocates devices on nodes. An error that is no [NoFit] is a failure of the
// allocator itself and tells nothing about the claims.
type Allocator interface {
	// Fits reports whether there are devices for all claims on a node.
	Fits(node *corev1.Node, claims []*resourceapi.ResourceClaim) (bool, error)
	// Allocate returns an allocation for each claim, or nil if they do not fit on the
	// node.
	Allocate(node *corev1.Node, claims []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error)
}

// NoFit is an explained answer that claims do not fit.
type NoFit struct {
	Reason string
	// OnNode is set if the claims may fit on other nodes.
	OnNode bool
}

// Error returns the reason.
func (e *NoFit) Error() string { return e.Reason }
