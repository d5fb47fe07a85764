// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/devenv"
)

// Devices are the devices of a driver on this node.
type Devices struct {
	// Pool is the name of their pool. Claims with devices of other pools cannot
	// be prepared.
	Pool string
	// Inventory contains the devices and the counters that prevent overlapping
	// devices from being used at the same time on this node.
	Inventory *describe.Inventory
	// Parts describes, by device name, this node's part of each device that
	// spans nodes.
	Parts map[string]devenv.Part
	// Rejected maps the names of devices that cannot be prepared on this node to
	// the reason.
	Rejected map[string]string
}

// Source returns the devices of this node. It is called for each claim that is
// to be prepared, because the node's part of a device that spans nodes may
// change while the driver runs. If it returns an error, the claim cannot be
// prepared, unless it is already prepared.
type Source func(context.Context) (Devices, error)

// Fixed returns a source with constant devices that belong to this node alone.
func Fixed(pool string, inventory *describe.Inventory) Source {
	return func(context.Context) (Devices, error) {
		return Devices{Pool: pool, Inventory: inventory}, nil
	}
}

// SetSource replaces the source for claims that are prepared from now on.
// Claims that are already prepared keep their devices.
func (s *Store) SetSource(source Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.source = source
}

// currentDevices returns the current devices of the source.
func (s *Store) currentDevices(ctx context.Context) (Devices, error) {
	s.mu.Lock()
	source := s.source
	s.mu.Unlock()
	return source(ctx)
}
