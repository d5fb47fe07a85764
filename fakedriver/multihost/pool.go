// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

// layout is the slices of a pool.
type layout []resourceslice.Slice

// poolWriter maintains the only pool of the driver in the API server.
//
// [resourceslice.Controller] writes the pool. If more than one slice changes,
// the controller assigns a new generation to all slices. Consumers ignore the
// older generation as soon as they see the first slice of the new one, and
// treat the pool as incomplete until they see the last. No consumer sees a
// complete pool with slices of two states. If a single slice changes, the
// controller keeps the generation. The API requires a new generation also in
// that case, so that each generation has one content. A poolWriter therefore
// sets the generation explicitly.
type poolWriter struct {
	config      Config
	handleError func(ctx context.Context, err error, msg string)

	// helper is nil until there is something to write or to delete.
	helper     *resourceslice.Controller
	layout     layout
	written    bool
	generation int64
	// former is an earlier layout, for a controller with a fault.
	former layout
}

// write makes wanted the content of the pool, asynchronously. An empty layout
// deletes the pool. write does nothing if wanted is the layout that was written
// last.
func (p *poolWriter) write(ctx context.Context, wanted layout, stored []*resourceapi.ResourceSlice) error {
	if p.written && apiequality.Semantic.DeepEqual(p.layout, wanted) {
		return nil
	}
	own := p.own(stored)
	for _, slice := range own {
		p.generation = max(p.generation, slice.Spec.Pool.Generation)
	}
	// A new leader keeps the generation if the stored slices already have the
	// wanted content.
	if p.written || !wanted.storedIn(own) {
		p.generation++
	}
	resources := p.resources(wanted, stored)
	if p.helper != nil {
		p.helper.Update(resources)
	} else if len(wanted) > 0 || len(stored) > 0 {
		helper, err := resourceslice.StartController(ctx, resourceslice.Options{
			DriverName:   p.config.DriverName,
			KubeClient:   p.config.Client,
			Resources:    resources,
			ErrorHandler: p.handleError,
		})
		if err != nil {
			return fmt.Errorf("start publishing: %w", err)
		}
		p.helper = helper
	}
	p.layout, p.written = wanted, true
	return nil
}

// resources returns the wanted pool, and all other pools of the driver as empty
// pools, which deletes them. Such pools exist, for example, after the topology
// was changed. The hosts must not be published twice.
func (p *poolWriter) resources(wanted layout, stored []*resourceapi.ResourceSlice) *resourceslice.DriverResources {
	pools := map[string]resourceslice.Pool{}
	for _, slice := range stored {
		pools[slice.Spec.Pool.Name] = resourceslice.Pool{}
	}
	pools[p.config.Topology.Name()] = resourceslice.Pool{Generation: p.generation, Slices: wanted}
	p.leaveFormer(pools)
	return &resourceslice.DriverResources{Pools: pools}
}

// own returns the slices of the pool.
func (p *poolWriter) own(stored []*resourceapi.ResourceSlice) []*resourceapi.ResourceSlice {
	var own []*resourceapi.ResourceSlice
	for _, slice := range stored {
		if slice.Spec.Pool.Name == p.config.Topology.Name() {
			own = append(own, slice)
		}
	}
	return own
}

// stop stops the controller. It returns when all writes have ended.
func (p *poolWriter) stop() { p.helper.Stop() }

// storedIn reports whether the stored slices are a complete pool with this
// layout.
func (l layout) storedIn(stored []*resourceapi.ResourceSlice) bool {
	if len(stored) != len(l) {
		return false
	}
	// The names that the controller generates start with the index of the
	// slice.
	slices.SortFunc(stored, func(a, b *resourceapi.ResourceSlice) int { return cmp.Compare(a.Name, b.Name) })
	for i, slice := range stored {
		spec, first := slice.Spec, stored[0].Spec
		if spec.Pool.Generation != first.Pool.Generation || spec.Pool.ResourceSliceCount != int64(len(l)) ||
			!apiequality.Semantic.DeepEqual(spec.PerDeviceNodeSelection, l[i].PerDeviceNodeSelection) ||
			!apiequality.Semantic.DeepEqual(spec.SharedCounters, l[i].SharedCounters) ||
			!apiequality.Semantic.DeepEqual(spec.Devices, l[i].Devices) {
			return false
		}
	}
	return true
}
