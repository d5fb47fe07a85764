// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/control"
)

// fleet runs the drivers of a process. Each driver has a directory with its
// state. After a restart, the directories determine which drivers run.
type fleet struct {
	ctx    context.Context // parent context of all drivers
	config Config
	fail   context.CancelCauseFunc
	// process is a UUID that distinguishes this process from earlier ones.
	process string

	// changing is held while a driver is started or stopped.
	changing sync.Mutex
	mu       sync.Mutex
	drivers  map[string]*instance
}

var _ control.Drivers = &fleet{}

func newFleet(ctx context.Context, config Config, fail context.CancelCauseFunc) *fleet {
	return &fleet{ctx: ctx, config: config, fail: fail, process: uuid.NewString(), drivers: map[string]*instance{}}
}

// start starts the plugin's own driver and the drivers that ran before the
// restart.
func (f *fleet) start() error {
	f.changing.Lock()
	defer f.changing.Unlock()
	if err := f.add(f.config.DriverName, f.config.dir(), f.config.Published); err != nil {
		return err
	}
	entries, err := os.ReadDir(f.config.driversDir())
	if err != nil {
		return fmt.Errorf("list the drivers: %w", err)
	}
	for _, entry := range entries {
		dir := filepath.Join(f.config.driversDir(), entry.Name())
		if !entry.IsDir() || !hasState(dir) {
			continue
		}
		if err := f.add(entry.Name(), dir, control.Published{}); err != nil {
			return err
		}
	}
	return nil
}

// add starts a driver. State that the driver saved earlier overrides the
// preset.
func (f *fleet) add(name, dir string, preset control.Published) error {
	driver, err := startInstance(f.ctx, f.config, name, dir, preset, f.fail)
	if err != nil {
		return fmt.Errorf("start driver %s: %w", name, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drivers[name] = driver
	return nil
}

// close stops all drivers. Their ResourceSlices are kept.
func (f *fleet) close() {
	f.changing.Lock()
	defer f.changing.Unlock()
	for _, driver := range f.all() {
		driver.close()
	}
}

func (f *fleet) all() []*instance {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*instance
	for _, name := range slices.Sorted(maps.Keys(f.drivers)) {
		all = append(all, f.drivers[name])
	}
	return all
}

func (f *fleet) find(name string) (*instance, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if driver, ok := f.drivers[name]; ok {
		return driver, nil
	}
	return nil, fmt.Errorf("%w: %s, use one of %s", control.ErrUnknownDriver, name, strings.Join(slices.Sorted(maps.Keys(f.drivers)), ", "))
}

// List implements [control.Drivers].
func (f *fleet) List() []control.Status {
	out := []control.Status{}
	for _, driver := range f.all() {
		out = append(out, f.describe(driver))
	}
	return out
}

// Status implements [control.Drivers].
func (f *fleet) Status(name string) (control.Status, error) {
	driver, err := f.find(name)
	if err != nil {
		return control.Status{}, err
	}
	return f.describe(driver), nil
}

func (f *fleet) describe(driver *instance) control.Status {
	status := driver.status()
	status.Process = f.process
	return status
}

// Publish implements [control.Drivers].
func (f *fleet) Publish(ctx context.Context, name string, published control.Published) error {
	driver, started, err := f.ensure(name, published)
	if err != nil {
		return err
	}
	if err := driver.publish(ctx, published); err != nil {
		if started && errors.Is(err, control.ErrInvalid) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
			defer cancel()
			return errors.Join(err, f.Stop(ctx, name))
		}
		return err
	}
	return driver.publication.wait(ctx)
}

// ensure returns the driver with the name. It starts the driver if it does not
// run, and reports that as started. A new driver publishes nothing yet.
func (f *fleet) ensure(name string, published control.Published) (driver *instance, started bool, err error) {
	f.changing.Lock()
	defer f.changing.Unlock()
	if driver, err := f.find(name); err == nil {
		return driver, false, nil
	}
	dir := filepath.Join(f.config.driversDir(), name)
	if err := checkName(name, dir, f.config.RegistryDir); err != nil {
		return nil, false, fmt.Errorf("%w: %w", control.ErrInvalid, err)
	}
	// Validate the request before a driver is started for it.
	if _, err := compile(f.config, published); err != nil {
		return nil, false, err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, false, fmt.Errorf("create directory of driver %s: %w", name, err)
	}
	if err := f.add(name, dir, control.Published{}); err != nil {
		return nil, false, errors.Join(err, os.RemoveAll(dir))
	}
	driver, err = f.find(name)
	return driver, true, err
}

// Stop implements [control.Drivers].
func (f *fleet) Stop(ctx context.Context, name string) error {
	f.changing.Lock()
	defer f.changing.Unlock()
	driver, err := f.find(name)
	if err != nil {
		return err
	}
	if name == f.config.DriverName {
		return fmt.Errorf("%w: %s is the pod's own driver", control.ErrInvalid, name)
	}
	if claims := driver.store.Retire(); len(claims) > 0 {
		return fmt.Errorf("%w: claims of driver %s are prepared: %s", control.ErrInUse, name, strings.Join(claims, ", "))
	}
	driver.close()
	// The driver is removed from the map last, so that Stop can be retried if
	// one of these steps fails.
	if err := driver.pool.remove(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(driver.dir); err != nil {
		return fmt.Errorf("remove directory of driver %s: %w", name, err)
	}
	f.mu.Lock()
	delete(f.drivers, name)
	f.mu.Unlock()
	klog.FromContext(ctx).Info("Stopped", "driver", name)
	return nil
}
