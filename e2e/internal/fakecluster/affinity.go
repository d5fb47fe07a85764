// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/control"
)

// Publish replaces the devices of the driver if they are described or were until now. It
// sets the affinity rules that the driver enforces, and annotates its
// ResourceSlices with the declared ones. The devices do not change.
func (d *Driver) Publish(_ context.Context, driver string, published control.Published) (control.Status, error) {
	c := d.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := d.publishDevices(driver, published.Devices.Description); err != nil {
		return control.Status{}, err
	}
	d.published = published
	declared := map[string]affinity.Declaration{}
	for device, rule := range published.Affinity {
		if rule.Declared {
			declared[device] = rule.Declaration
		}
	}
	all, err := c.slicesOn(c.NIC, d.node)
	if err != nil {
		return control.Status{}, err
	}
	for _, slice := range all {
		changed, err := affinity.Annotate(slice, declared)
		if err == nil && changed {
			err = c.update(slicesOf, slice)
		}
		if err != nil {
			return control.Status{}, err
		}
	}
	return control.Status{Published: published}, nil
}

// checkAffinity returns an error if the affinity rules do not permit the driver
// to prepare a claim. Otherwise, it stores the affinity values of the claim.
func (d *Driver) checkAffinity(name types.NamespacedName) error {
	if d.cluster.Mistakes.AdmitsAll {
		return nil
	}
	claim, err := d.cluster.claim(name)
	if err != nil {
		return err
	}
	allocated := claim.Status.Allocation.Devices
	for _, result := range allocated.Results {
		rule, ok := d.published.Affinity[result.Device]
		if !ok || result.Driver != d.cluster.NIC {
			continue
		}
		values, err := rule.Admit(allocated.Config, result.Request)
		if err == nil && !d.cluster.Mistakes.AdmitsContradictions {
			err = rule.Contradiction(result.Driver, allocated.Config, result.Request, values)
		}
		for other := range d.values[result.Device] {
			err = errors.Join(err, rule.Meet(d.values[result.Device][other], values))
		}
		if err != nil {
			return fmt.Errorf("device %s: %w", result.Device, err)
		}
		if d.values[result.Device] == nil {
			d.values[result.Device] = map[types.NamespacedName]map[string]string{}
		}
		d.values[result.Device][name] = values
	}
	return nil
}

// removeAffinity removes the affinity values of a claim from all devices.
func (d *Driver) removeAffinity(name types.NamespacedName) {
	if d.cluster.Mistakes.KeepsValues {
		return
	}
	for _, claims := range d.values {
		delete(claims, name)
	}
}
