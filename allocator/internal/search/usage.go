// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"sync"

	"k8s.io/dynamic-resource-allocation/structured"
)

// Usage is the allocated state of the cluster, looked up per pool. Its results must not change, and it must be safe
// for concurrent use.
type Usage interface {
	// Pool returns the usage of the pool to which the device belongs, or nil if nothing of it is allocated.
	Pool(of structured.DeviceID) PoolUsage
}

// PoolUsage is the allocated state of one pool.
type PoolUsage interface {
	// Device returns the usage of a device, or the zero value if nothing of it is allocated.
	Device(id structured.DeviceID) DeviceUsage
}

// DeviceUsage is the allocated state of a device. Allocations with admin access are not included.
type DeviceUsage struct {
	// Alone reports whether the device is allocated for one claim alone.
	Alone bool
	// Shares are the allocated shares (DRAConsumableCapacity).
	Shares []structured.SharedDeviceID
	// Consumed is the capacity of the device that the shares consume, or nil if they consume none.
	Consumed structured.ConsumedCapacity
}

// Shared returns whether shares of the device are allocated, with or without capacity.
func (u DeviceUsage) Shared() bool { return len(u.Shares) > 0 || u.Consumed != nil }

// gathered is the Usage of an AllocatedState.
type gathered struct {
	state  structured.AllocatedState
	once   sync.Once
	shares map[structured.DeviceID][]structured.SharedDeviceID
}

// UsageOf returns the allocated state as a Usage, or nil if nothing is allocated. The state must not change
// afterwards.
func UsageOf(state structured.AllocatedState) Usage {
	if len(state.AllocatedDevices) == 0 && len(state.AggregatedCapacity) == 0 && len(state.AllocatedSharedDeviceIDs) == 0 {
		return nil
	}
	return &gathered{state: state}
}

// Pool implements Usage. Devices are looked up directly, without grouping them by pool.
func (g *gathered) Pool(structured.DeviceID) PoolUsage { return g }

// Device implements PoolUsage.
func (g *gathered) Device(id structured.DeviceID) DeviceUsage {
	u := DeviceUsage{Alone: g.state.AllocatedDevices.Has(id)}
	if len(g.state.AggregatedCapacity) > 0 {
		u.Consumed = g.state.AggregatedCapacity[id]
	}
	if len(g.state.AllocatedSharedDeviceIDs) > 0 {
		g.once.Do(g.sortShares)
		u.Shares = g.shares[id]
	}
	return u
}

func (g *gathered) sortShares() {
	g.shares = make(map[structured.DeviceID][]structured.SharedDeviceID, len(g.state.AllocatedSharedDeviceIDs))
	for share := range g.state.AllocatedSharedDeviceIDs {
		id := share.GetDeviceID()
		g.shares[id] = append(g.shares[id], share)
	}
}
