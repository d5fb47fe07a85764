// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package published is what the drivers of a cluster publish: pools, devices
// with their nodes and counters, and which of them an expression selects.
package published

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/lint"
	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/internal/rules"
)

// Driver is what one driver publishes.
type Driver struct {
	Name string
	// Pools are all pools of the driver, sorted by name.
	Pools []Pool
	// Devices are the devices of the usable pools, in the order of publication.
	Devices []*Device
}

// Pool is a pool of a driver.
type Pool struct {
	Name       string
	Generation int64
	// CounterSets are the counter sets of the newest generation.
	CounterSets []resourceapi.CounterSet
	// Devices is the number of devices in the newest generation.
	Devices int
	// Nodes are the names of the known nodes with these devices, sorted. AllNodes
	// is set if the pool has devices for every node.
	Nodes    []string
	AllNodes bool
	// Unusable is why nothing is allocated from the pool, or an empty string.
	Unusable string
}

// Device is a device in a pool.
type Device struct {
	rules.Device
	Pool string
	// Nodes are the names of the known nodes on which the device can be used,
	// sorted.
	Nodes []string
	// AllNodes is set if the device can be used on every node, such as one that
	// is attached to the network.
	AllNodes bool
}

// ID returns the name of a device that is unique among those of its driver.
func (d *Device) ID() string { return d.Pool + "/" + d.Name }

// Shared reports whether several claims can have a share of the device.
func (d *Device) Shared() bool { return ptr.Deref(d.AllowMultipleAllocations, false) }

// MultiHost reports whether the device spans nodes.
func (d *Device) MultiHost() bool { return !d.AllNodes && len(d.Nodes) > 1 }

// unusable are the lint rules whose violation makes a pool unusable for the
// schedulers.
var unusable = []string{"pool-incomplete", "pool-duplicate-device", "pool-duplicate-counter-set", "pool-unknown-counter-set", "pool-unknown-counter"}

// Drivers returns what is published, sorted by the names of the drivers. The
// error is that of the context.
func Drivers(ctx context.Context, objects *state.Objects) ([]*Driver, error) {
	why, err := unusablePools(ctx, objects.Slices)
	if err != nil {
		return nil, err
	}
	all := map[string]*Driver{}
	nodes := nodesOf(objects)
	for _, pool := range rules.Pools(byName(objects.Slices)) {
		if all[pool.Driver] == nil {
			all[pool.Driver] = &Driver{Name: pool.Driver}
		}
		all[pool.Driver].add(pool, why[nameOf(pool.Slices[0])], nodes)
	}
	drivers := slices.Collect(maps.Values(all))
	for _, d := range drivers {
		slices.SortFunc(d.Pools, func(a, b Pool) int { return cmp.Compare(a.Name, b.Name) })
	}
	slices.SortFunc(drivers, func(a, b *Driver) int { return cmp.Compare(a.Name, b.Name) })
	return drivers, nil
}

// byName returns the slices in the order of their names, which is the one in
// which schedulers consider them.
func byName(all []*resourceapi.ResourceSlice) []*resourceapi.ResourceSlice {
	return slices.SortedStableFunc(slices.Values(all), func(a, b *resourceapi.ResourceSlice) int { return cmp.Compare(a.Name, b.Name) })
}

func (d *Driver) add(of *rules.Pool, why string, nodes []*corev1.Node) {
	pool := Pool{Name: of.Name, Generation: of.Generation(), Unusable: why}
	for _, slice := range of.Slices {
		pool.CounterSets = append(pool.CounterSets, slice.Spec.SharedCounters...)
		pool.AllNodes = pool.AllNodes || ptr.Deref(slice.Spec.AllNodes, false)
	}
	names := sets.New[string]()
	for slice, device := range of.Devices() {
		on := rules.NodesOf(&slice.Spec, device)
		pool.Devices++
		pool.AllNodes = pool.AllNodes || on.All
		published := &Device{Device: rules.Device{Driver: d.Name, Device: device}, Pool: pool.Name, AllNodes: on.All, Nodes: included(on, nodes)}
		if why == "" {
			d.Devices = append(d.Devices, published)
		}
		names.Insert(published.Nodes...)
	}
	pool.Nodes = sets.List(names)
	d.Pools = append(d.Pools, pool)
}

type poolName struct{ driver, name string }

func nameOf(slice *resourceapi.ResourceSlice) poolName {
	return poolName{slice.Spec.Driver, slice.Spec.Pool.Name}
}

// unusablePools returns why pools are unusable.
func unusablePools(ctx context.Context, all []*resourceapi.ResourceSlice) (map[poolName]string, error) {
	pools := map[string]poolName{}
	var objects state.Objects
	for _, slice := range all {
		objects.Add(slice)
		pools[slice.Name] = nameOf(slice)
	}
	found, err := lint.Check(ctx, &objects)
	if err != nil {
		return nil, fmt.Errorf("check all slices: %w", err)
	}
	why := map[poolName]string{}
	for _, f := range found {
		if of := pools[f.Name]; slices.Contains(unusable, f.Rule) && why[of] == "" {
			why[of] = fmt.Sprintf("ResourceSlice %s, %s %s", f.Name, f.Path, f.Message)
		}
	}
	return why, nil
}

// Find returns the driver with a name, or nil.
func Find(drivers []*Driver, name string) *Driver {
	i := slices.IndexFunc(drivers, func(d *Driver) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return drivers[i]
}

// Names returns the names of drivers.
func Names(drivers []*Driver) []string {
	var names []string
	for _, d := range drivers {
		names = append(names, d.Name)
	}
	return names
}

// Pool returns the pool with a name, which must exist.
func (d *Driver) Pool(name string) *Pool {
	return &d.Pools[slices.IndexFunc(d.Pools, func(p Pool) bool { return p.Name == name })]
}
