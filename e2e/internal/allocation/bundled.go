// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/state"
)

// bundled is the bundled allocator's index in this process.
type bundled struct {
	index    *allocator.Index
	features structured.Features
}

// Bundled returns an index of the bundled allocator in this process. The error is
// always nil.
func Bundled(config allocator.Config) (Index, error) {
	return &bundled{allocator.NewIndex(config), config.Features}, nil
}

// For implements [Index].
func (b *bundled) For(s State) (Allocator, error) {
	b.index.Update(s.Slices)
	objects := state.Objects{Classes: s.Classes, Claims: s.Claims}
	holders := allocator.NewAffinityState(slices.Concat(s.Claims, s.Unknown))
	return local{b.index.AllocatorWithAffinity(objects.AllocatedState(b.features), holders, objects.ClassLister())}, nil
}

// local implements [Allocator] in this process.
type local struct{ allocator *allocator.Allocator }

func (l local) Fits(node *corev1.Node, claims []*resourceapi.ResourceClaim) (bool, error) {
	ok, err := l.allocator.Fits(context.Background(), node, claims)
	return ok, noFit(err)
}

func (l local) Allocate(node *corev1.Node, claims []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error) {
	results, err := l.allocator.Allocate(context.Background(), node, claims)
	return results, noFit(err)
}

// noFit converts an error of the allocator. All of them are about the claims and the
// cluster.
func noFit(err error) error {
	if err == nil {
		return nil
	}
	return &NoFit{Reason: err.Error(), OnNode: errors.Is(err, structured.ErrFailedAllocationOnNode)}
}
