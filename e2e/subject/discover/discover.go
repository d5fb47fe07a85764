// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package discover writes a first driver file from what a cluster shows of a
// driver. Each guess has a comment that states what it rests on.
package discover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/subject/published"
	"github.com/draconform/draconform/internal/similar"
)

// Input is what is known of a cluster.
type Input struct {
	// Source describes where the objects come from, such as "context kind".
	Source string
	// Objects has the ResourceSlices and DeviceClasses, and the Nodes if they
	// are known.
	Objects *state.Objects
	// DaemonSets are those among which the driver may be.
	DaemonSets []*appsv1.DaemonSet
	// NoDaemonSets and NoNodes are why the DaemonSets and Nodes are not known, or
	// empty.
	NoDaemonSets, NoNodes string
}

// ErrDriver is wrapped by errors that state which driver is missing, or which
// drivers there are to choose from.
var ErrDriver = errors.New("driver")

// discovery is what is found out about one driver.
type discovery struct {
	Input
	driver   *published.Driver
	requests *requests
	// parents are the devices that share counters.
	parents      []*published.Parent
	partitioning *partitioning
	parentsGuess parentsGuess
}

// File returns the driver file for a driver. The name may be empty if there is
// only one driver. Errors about the choice of the driver, and about a driver
// without usable devices, wrap ErrDriver.
func File(ctx context.Context, in Input, name string) ([]byte, error) {
	drivers, err := published.Drivers(ctx, in.Objects)
	if err != nil {
		return nil, err
	}
	driver, err := choose(drivers, in.Source, name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDriver, err)
	}
	d := &discovery{Input: in, driver: driver}
	if d.requests, err = newRequests(ctx, driver, drivers, in.Objects.Classes); err != nil {
		return nil, err
	}
	d.parents = driver.Parents(driver.Devices)
	d.partitioning = findPartitioning(driver, d.parents)
	d.parentsGuess = d.findParents()
	content, err := d.render()
	if err != nil {
		return nil, err
	}
	return content, check(content)
}

// choose returns the driver with a name, or the only one.
func choose(drivers []*published.Driver, source, name string) (*published.Driver, error) {
	names := published.Names(drivers)
	driver := published.Find(drivers, name)
	switch {
	case len(drivers) == 0:
		return nil, fmt.Errorf("%s has no ResourceSlices, so no driver publishes devices: install the driver, and look at the logs of its pods if they run", source)
	case name == "" && len(drivers) == 1:
		driver = drivers[0]
	case name == "":
		return nil, fmt.Errorf("%s has ResourceSlices of several drivers, choose one with --name: %s", source, strings.Join(names, ", "))
	case driver == nil:
		message := fmt.Sprintf("%s has no ResourceSlice of driver %q", source, name)
		if closest := similar.Names(name, names); len(closest) > 0 {
			message += fmt.Sprintf(", did you mean %q?", closest[0])
		}
		return nil, fmt.Errorf("%s (found: %s)", message, strings.Join(names, ", "))
	}
	if len(driver.Devices) > 0 {
		return driver, nil
	}
	if i := slices.IndexFunc(driver.Pools, func(p published.Pool) bool { return p.Unusable != "" }); i >= 0 {
		return nil, fmt.Errorf("driver %s has no usable pool: pool %s: %s", driver.Name, driver.Pools[i].Name, driver.Pools[i].Unusable)
	}
	return nil, fmt.Errorf("driver %s publishes ResourceSlices without devices: check that the nodes have devices, and look at the logs of the driver's pods", driver.Name)
}

// check returns an error if the content is no valid driver file.
func check(content []byte) error {
	drivers, err := driverfile.Decode("", content)
	for _, d := range drivers {
		err = errors.Join(err, d.Validate())
	}
	if err != nil {
		return fmt.Errorf("the driver file is not valid: %w\n%s", err, content)
	}
	return nil
}

// Names returns the names of the drivers with ResourceSlices, sorted.
func Names(in Input) []string {
	var names []string
	for _, slice := range in.Objects.Slices {
		names = append(names, slice.Spec.Driver)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
