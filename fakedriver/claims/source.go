package claims

import (
	"context"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/devenv"
)

// Devices are what a driver has on this node.
type Devices struct {
	// Pool is the name of their pool. Claims for other pools are refused.
	Pool string
	// Inventory has the devices, and the counters that keep those apart which
	// must not be used at the same time on this node.
	Inventory *describe.Inventory
	// Parts says what this node has of devices that span nodes, by name.
	Parts map[string]devenv.Part
	// Refused says why devices of the pool cannot be prepared on this node, by
	// name.
	Refused map[string]string
}

// Source returns the devices of this node. It is asked for each claim that is to
// be prepared, because which part of a device that spans nodes a node has may
// change while the driver runs. An error refuses the claim, unless it is prepared
// already.
type Source func(context.Context) (Devices, error)

// Fixed is the source of devices that belong to this node alone.
func Fixed(pool string, inventory *describe.Inventory) Source {
	return func(context.Context) (Devices, error) {
		return Devices{Pool: pool, Inventory: inventory}, nil
	}
}

// SetSource changes what claims are prepared for from now on. Those that are
// prepared keep what they have.
func (s *Store) SetSource(source Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.source = source
}

// ask returns what the source says now.
func (s *Store) ask(ctx context.Context) (Devices, error) {
	s.mu.Lock()
	source := s.source
	s.mu.Unlock()
	return source(ctx)
}
