// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/testkit/problem"
	"github.com/draconform/draconform/internal/rules"
)

// affinity verifies sharing affinity (KEP-5981, revision 44f990de4) for all
// holders of a device: those with an allocation and those that are chosen.
// Results with admin access do not hold a device.
func (r *Rules) affinity(choices []Choice) error {
	var errs []error
	parties := map[structured.DeviceID][]rules.Statement{}
	for _, choice := range choices {
		device, subrequest := choice.Device, r.Subrequest(choice)
		if device.affinityErr == nil && len(device.affinity.AttributeKeys) == 0 || subrequest.AdminAccess {
			continue
		}
		id := device.ID()
		if parties[id] == nil {
			parties[id] = slices.Clone(r.holders[id])
		}
		parties[id] = append(parties[id], subrequest.stated)
		if err := device.sharedBy(parties[id]); err != nil {
			errs = append(errs, fmt.Errorf("%s: sharing affinity: %w", choice, err))
		}
	}
	return errors.Join(errs...)
}

// sharedBy verifies that claims with these statements may hold the device
// together.
func (d *Device) sharedBy(holders []rules.Statement) error {
	if d.affinityErr != nil {
		return d.affinityErr
	}
	return d.affinity.Agree(holders)
}

// Packed returns the devices in the order of Config.PackSharingAffinity:
// devices that declare a sharing affinity and that active claims with the
// values of the subrequest hold come first.
func (r *Rules) Packed(subrequest *Subrequest) []*Device {
	var locked, others []*Device
	for _, device := range r.Devices {
		holders := r.holders[device.ID()]
		joins := len(holders) > 0 && len(device.affinity.AttributeKeys) > 0 && device.sharedBy(append(slices.Clip(holders), subrequest.stated)) == nil
		if joins && !subrequest.AdminAccess {
			locked = append(locked, device)
		} else {
			others = append(others, device)
		}
	}
	return append(locked, others...)
}

// holders returns, for each device, what the claims that hold it state.
func holders(p *problem.Problem) map[structured.DeviceID][]rules.Statement {
	holders := map[structured.DeviceID][]rules.Statement{}
	for _, claim := range p.Allocated {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			if !ptr.Deref(result.AdminAccess, false) {
				id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
				holders[id] = append(holders[id], rules.StatementOf(claim.Status.Allocation.Devices.Config, result.Request))
			}
		}
	}
	return holders
}
