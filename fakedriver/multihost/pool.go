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

// poolWriter keeps the driver's only pool in the API server.
//
// [resourceslice.Controller] writes it. When more than one slice changes, that
// gives all of them a new generation: consumers ignore the older one as soon as
// they see the first slice, and the pool is incomplete until they see the last.
// So nobody ever sees a complete pool of mixed content. A change of a single
// slice keeps the generation there. A poolWriter asks for a new generation also
// then, as the API demands it, so that a generation has one content.
type poolWriter struct {
	config      Config
	handleError func(ctx context.Context, err error, msg string)

	// helper is nil before there is something to write or to remove.
	helper     *resourceslice.Controller
	layout     layout
	written    bool
	generation int64
}

// write makes a layout the content of the pool, in the background. An empty one
// removes the pool. It does nothing if the layout was written before.
func (p *poolWriter) write(ctx context.Context, wanted layout, stored []*resourceapi.ResourceSlice) error {
	if p.written && apiequality.Semantic.DeepEqual(p.layout, wanted) {
		return nil
	}
	own := p.own(stored)
	for _, slice := range own {
		p.generation = max(p.generation, slice.Spec.Pool.Generation)
	}
	// A new leader leaves alone what the last one has published.
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
			return fmt.Errorf("start to publish: %w", err)
		}
		p.helper = helper
	}
	p.layout, p.written = wanted, true
	return nil
}

// resources has the pool, and as empty ones all others that the driver has in
// the API server, for example under an older topology: the hosts must not be
// offered twice.
func (p *poolWriter) resources(wanted layout, stored []*resourceapi.ResourceSlice) *resourceslice.DriverResources {
	pools := map[string]resourceslice.Pool{}
	for _, slice := range stored {
		pools[slice.Spec.Pool.Name] = resourceslice.Pool{}
	}
	pools[p.config.Topology.Name()] = resourceslice.Pool{Generation: p.generation, Slices: wanted}
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

// stop returns when nothing is written any more.
func (p *poolWriter) stop() { p.helper.Stop() }

// storedIn says whether these slices are a complete pool with that content.
func (l layout) storedIn(stored []*resourceapi.ResourceSlice) bool {
	if len(stored) != len(l) {
		return false
	}
	// The controller's names begin with the index of the slice.
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
