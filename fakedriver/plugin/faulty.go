// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/variant"
)

// firstGeneration returns a number that is added to the generation 1 of a pool
// that does not exist yet.
func firstGeneration() int64 {
	if variant.BeginsWithHighGeneration || variant.ResetsGenerationAtRestart {
		return 1000
	}
	return 0
}

// differAtStart does what drivers with a fault, or of another kind, do that find
// ResourceSlices of their own when they start. Otherwise it does nothing.
func (p *pool) differAtStart(ctx context.Context, wanted []*resourceapi.ResourceSlice, stored []resourceapi.ResourceSlice) error {
	if p.isRunning() {
		return nil
	}
	generation := stored[0].Spec.Pool.Generation
	switch {
	case variant.ResetsGenerationAtRestart:
		if err := p.delete(ctx, stored); err != nil {
			return err
		}
		return p.create(ctx, wanted, generation-wanted[0].Spec.Pool.Generation-1)
	case fault.PublishesTwiceAtRestart:
		return p.create(ctx, wanted, generation-wanted[0].Spec.Pool.Generation)
	}
	return nil
}

// isRunning reports whether the controller is running or starting.
func (p *pool) isRunning() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cancel != nil
}

// renamed returns the inventory with the names of devices that a driver with a
// fault or of another kind publishes.
func (c Config) renamed(inventory *describe.Inventory) (*describe.Inventory, error) {
	prefix := ""
	switch {
	case fault.RenamesDevicesAtRestart:
		number, err := c.startNumber()
		if err != nil {
			return nil, err
		}
		prefix = strings.Repeat("again-", number%2)
	case variant.NamesDevicesOtherwise:
		prefix = "unit-"
	}
	if prefix == "" {
		return inventory, nil
	}
	for i := range inventory.Devices {
		device := &inventory.Devices[i]
		if declared, ok := inventory.Affinity[device.Name]; ok {
			delete(inventory.Affinity, device.Name)
			inventory.Affinity[prefix+device.Name] = declared
		}
		device.Name = prefix + device.Name
	}
	return inventory, nil
}

// countStart records a start of the process, for faults of restarts.
func (c Config) countStart() error {
	if !fault.RenamesDevicesAtRestart {
		return nil
	}
	number, err := c.startNumber()
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.startFile(), []byte(strconv.Itoa(number+1)), 0o600); err != nil {
		return fmt.Errorf("count the starts: %w", err)
	}
	return nil
}

// startNumber returns the number of earlier starts of the process, or that of this
// one after countStart.
func (c Config) startNumber() (int, error) {
	text, err := os.ReadFile(c.startFile())
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the number of starts: %w", err)
	}
	number, err := strconv.Atoi(string(text))
	if err != nil {
		return 0, fmt.Errorf("read the number of starts: %w", err)
	}
	return number, nil
}

func (c Config) startFile() string { return filepath.Join(c.dir(), "starts") }

// leaving returns what a driver with a fault publishes in place of what it has published:
// it leaves a slice of the generation before.
func (p *publication) leaving(published control.Published) control.Published {
	p.mu.Lock()
	defer p.mu.Unlock()
	if fault.LeavesOldSlices && isKnown(p.published) && p.published.Devices != published.Devices {
		published.Defect = control.OldGeneration
	}
	return published
}

// overstated returns the inventory as a driver with a fault publishes it: with
// twice the value of each counter.
func overstated(inventory *describe.Inventory) *describe.Inventory {
	if !fault.OverstatesCounters {
		return inventory
	}
	other := *inventory
	other.CounterSets = nil
	for i := range inventory.CounterSets {
		set := inventory.CounterSets[i].DeepCopy()
		for name, counter := range set.Counters {
			counter.Value.Add(counter.Value)
			set.Counters[name] = counter
		}
		other.CounterSets = append(other.CounterSets, *set)
	}
	return &other
}
