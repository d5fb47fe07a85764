package search

import (
	"sync"

	"k8s.io/dynamic-resource-allocation/structured"
)

// Usage is what is allocated in the cluster, to be asked pool by pool. The answers must not change, and it must be safe
// for concurrent use.
type Usage interface {
	// Pool returns what is allocated of the pool that the device belongs to, nil if nothing is.
	Pool(of structured.DeviceID) PoolUsage
}

// PoolUsage is what is allocated of one pool.
type PoolUsage interface {
	// Device returns what is allocated of a device, the zero value if nothing is.
	Device(id structured.DeviceID) DeviceUsage
}

// DeviceUsage is what is allocated of a device. Devices with admin access do not count.
type DeviceUsage struct {
	// Alone says that the device is allocated for one claim alone.
	Alone bool
	// Shares are those that are allocated (DRAConsumableCapacity).
	Shares []structured.SharedDeviceID
	// Consumed is what the shares consume of the device's capacities, nil if they consume nothing.
	Consumed structured.ConsumedCapacity
}

// Shared tells whether shares of the device are allocated, with or without capacity.
func (u DeviceUsage) Shared() bool { return len(u.Shares) > 0 || u.Consumed != nil }

// gathered is the Usage that an AllocatedState makes.
type gathered struct {
	state  structured.AllocatedState
	once   sync.Once
	shares map[structured.DeviceID][]structured.SharedDeviceID
}

// UsageOf returns the allocated state as a Usage, nil if nothing is allocated. The state must not change afterwards.
func UsageOf(state structured.AllocatedState) Usage {
	if len(state.AllocatedDevices) == 0 && len(state.AggregatedCapacity) == 0 && len(state.AllocatedSharedDeviceIDs) == 0 {
		return nil
	}
	return &gathered{state: state}
}

// Pool is part of Usage. What is asked for is found without sorting by pools first.
func (g *gathered) Pool(structured.DeviceID) PoolUsage { return g }

// Device is part of PoolUsage.
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
