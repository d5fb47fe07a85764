// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"fmt"
	"slices"

	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/control"
)

// Calls implements [control.Drivers].
func (f *fleet) Calls(name string, after int) ([]calls.Call, error) {
	driver, err := f.find(name)
	if err != nil {
		return nil, err
	}
	return driver.recorder.Calls(after), nil
}

// Inject implements [control.Drivers].
func (f *fleet) Inject(name string, fault calls.Fault) error {
	driver, err := f.find(name)
	if err != nil {
		return err
	}
	if err := driver.recorder.Inject(fault); err != nil {
		return fmt.Errorf("%w: %w", control.ErrInvalid, err)
	}
	return nil
}

// Release implements [control.Drivers].
func (f *fleet) Release(name string) error {
	driver, err := f.find(name)
	if err != nil {
		return err
	}
	driver.recorder.Release()
	return nil
}

// Register implements [control.Drivers].
func (f *fleet) Register(name string, offered bool) error {
	driver, err := f.find(name)
	if err != nil {
		return err
	}
	if !offered {
		driver.registration.withdraw()
		return nil
	}
	return driver.registration.offer()
}

// SetHealth implements [control.Drivers].
func (f *fleet) SetHealth(name string, health control.Health) error {
	driver, err := f.find(name)
	if err != nil {
		return err
	}
	return driver.health.set(health)
}

// SetDisk implements [control.Drivers].
func (f *fleet) SetDisk(name string, disk claims.Disk) error {
	driver, err := f.find(name)
	if err != nil {
		return err
	}
	driver.store.SetDisk(disk)
	return nil
}

// Damage implements [control.Drivers].
func (f *fleet) Damage(name string, damage control.Damage) error {
	driver, err := f.find(name)
	if err != nil {
		return err
	}
	if !slices.Contains(claims.Damages(), damage.Checkpoint) {
		return fmt.Errorf("%w: the damage %q is not one of %v", control.ErrInvalid, damage.Checkpoint, claims.Damages())
	}
	return driver.store.DamageCheckpoint(damage.Checkpoint)
}

// Exit implements [control.Drivers].
func (f *fleet) Exit() { f.config.Exit() }
