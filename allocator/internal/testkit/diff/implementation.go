// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package diff runs allocators on the same problem and reports where they
// disagree.
package diff

import (
	"context"
	"fmt"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// Implementation is an allocator that can be compared with others.
type Implementation struct {
	Name string
	New  NewFunc
}

// NewFunc has the signature of structured.NewAllocator.
type NewFunc func(ctx context.Context, features structured.Features, state structured.AllocatedState,
	classes structured.DeviceClassLister, slices []*resourceapi.ResourceSlice, cache *cel.Cache) (structured.Allocator, error)

// The three variants of the allocator of Kubernetes. They are meant to return
// the same answers, except that Stable tries pools in random order.
var (
	Experimental = upstream("experimental")
	Incubating   = upstream("incubating")
	Stable       = upstream("stable")
)

// Upstream lets Kubernetes select the variant by the features, as
// kube-scheduler does.
var Upstream = Implementation{Name: "upstream", New: func(ctx context.Context, features structured.Features, state structured.AllocatedState,
	classes structured.DeviceClassLister, slices []*resourceapi.ResourceSlice, cache *cel.Cache,
) (structured.Allocator, error) {
	choosing.Lock()
	defer choosing.Unlock()
	return structured.NewAllocator(ctx, features, state, classes, slices, cache)
}}

// choosing guards the selection of the variant, which is global in Kubernetes.
var choosing sync.Mutex

// upstream returns the named variant. Its New function returns an error for
// features that the variant does not support.
func upstream(variant string) Implementation {
	return Implementation{Name: variant, New: func(ctx context.Context, features structured.Features, state structured.AllocatedState,
		classes structured.DeviceClassLister, slices []*resourceapi.ResourceSlice, cache *cel.Cache,
	) (structured.Allocator, error) {
		choosing.Lock()
		defer choosing.Unlock()
		structured.EnableAllocators(variant)
		defer structured.EnableAllocators()
		allocator, err := structured.NewAllocator(ctx, features, state, classes, slices, cache)
		if err != nil {
			return nil, fmt.Errorf("create the %s allocator of Kubernetes: %w", variant, err)
		}
		return allocator, nil
	}}
}
