// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/internal/fault"
)

// maxPoolProblems is the maximum number of pool problems in an explanation.
const maxPoolProblems = 16

// poolProblems collects the slices and pools that the node sees and cannot use.
func (e *explainer) poolProblems() {
	inventory := e.search.Inventory
	seen, err := inventory.Seen(e.search.Node)
	if err != nil {
		return // The search has reported it.
	}
	reached := map[*resourceapi.ResourceSlice]bool{}
	byPool := map[pools.Key][]*resourceapi.ResourceSlice{}
	for _, slice := range seen {
		reached[slice] = true
		key := pools.Key{Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name}
		byPool[key] = append(byPool[key], slice)
	}
	for i, slice := range inventory.List() {
		if reached[slice] {
			continue
		}
		if feature := e.needs(inventory, i); feature == "" {
			e.out.Elsewhere += len(slice.Spec.Devices)
		} else if slice.Spec.NodeName == nil || *slice.Spec.NodeName == e.search.Node.Name {
			e.poolProblem(slice, "FeatureOff", fmt.Sprintf("slice %s needs the feature %s, which is disabled", slice.Name, feature), len(slice.Spec.Devices))
		}
	}
	for key, slices := range byPool {
		e.unused(key, slices)
	}
	slices.SortFunc(e.out.Pools, func(a, b PoolProblem) int {
		return cmp.Or(cmp.Compare(a.Driver, b.Driver), cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Message, b.Message))
	})
	if len(e.out.Pools) > maxPoolProblems {
		e.out.Pools = e.out.Pools[:maxPoolProblems]
	}
}

func (e *explainer) poolProblem(slice *resourceapi.ResourceSlice, kind, message string, devices int) {
	e.out.Pools = append(e.out.Pools, PoolProblem{Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name, Kind: kind, Message: message, Devices: devices})
}

// needs returns the feature that slice i requires and that is disabled. The allocator ignores such a slice.
func (e *explainer) needs(inventory *pools.Inventory, i int) string {
	spec := &inventory.List()[i].Spec
	if !e.Features.PartitionableDevices && (spec.PerDeviceNodeSelection != nil || len(spec.SharedCounters) > 0) {
		return "DRAPartitionableDevices"
	}
	if e.needsGroups(inventory, i) {
		return "DRADeviceCompatibilityGroups"
	}
	return ""
}

// needsGroups returns whether slice i uses compatibility groups while that feature is disabled.
func (e *explainer) needsGroups(inventory *pools.Inventory, i int) bool {
	return !e.Features.CompatibilityGroups && inventory.UsesGroups(i)
}

// unused reports the problem of a pool. seen are the slices of the pool that the node sees.
func (e *explainer) unused(key pools.Key, seen []*resourceapi.ResourceSlice) {
	newest := slices.MaxFunc(seen, func(a, b *resourceapi.ResourceSlice) int {
		return cmp.Compare(a.Spec.Pool.Generation, b.Spec.Pool.Generation)
	})
	generation := newest.Spec.Pool.Generation
	devices := 0
	for _, slice := range seen {
		if slice.Spec.Pool.Generation == generation {
			devices += len(slice.Spec.Devices)
		}
	}
	at := slices.IndexFunc(e.Node.Pools, func(p pools.Segment) bool { return p.Key == key })
	switch {
	case at < 0:
		e.poolProblem(newest, "Superseded", fmt.Sprintf("superseded: the node sees generation %d, slices for other nodes have a newer one", generation), devices)
	case e.Node.Pools[at].Incomplete:
		e.poolProblem(newest, "Incomplete", fmt.Sprintf("incomplete: generation %d has %d of %d slices", generation, e.published(key, generation), newest.Spec.Pool.ResourceSliceCount), devices)
	case e.Node.Pools[at].Invalid != "" && fault.HidesInvalidPools:
	case e.Node.Pools[at].Invalid != "":
		e.poolProblem(newest, "Invalid", "invalid: "+e.Node.Pools[at].Invalid, devices)
	default:
		e.sameSliceCounters(seen, generation)
	}
}

// published returns the number of slices of a generation in the cluster. Slices with counters count even if they are
// ignored because of a disabled feature.
func (e *explainer) published(key pools.Key, generation int64) int {
	n, inventory := 0, e.search.Inventory
	for i, slice := range inventory.List() {
		spec := &slice.Spec
		if spec.Driver == key.Driver && spec.Pool.Name == key.Pool && spec.Pool.Generation == generation && !e.needsGroups(inventory, i) {
			n++
		}
	}
	return n
}

// sameSliceCounters reports devices that are not offered because their slice also has shared counters.
func (e *explainer) sameSliceCounters(seen []*resourceapi.ResourceSlice, generation int64) {
	if !e.Features.PartitionableDevices || e.search.Inventory.Settings().SameSliceCounters {
		return
	}
	for _, slice := range seen {
		if spec := &slice.Spec; spec.Pool.Generation == generation && len(spec.SharedCounters) > 0 && len(spec.Devices) > 0 {
			e.poolProblem(slice, "BesideCounters",
				fmt.Sprintf("slice %s has devices and shared counters, so its devices cannot be allocated", slice.Name), len(spec.Devices))
		}
	}
}
