// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

type matchKey struct {
	subrequest *Subrequest
	device     *Device
}

type match struct {
	matches bool
	err     error
}

// Matches reports whether the device matches the subrequest: the selectors of class
// and request select it, and it is available on the node. It returns the error
// of a selector.
func (r *Rules) Matches(subrequest *Subrequest, device *Device) (bool, error) {
	key := matchKey{subrequest, device}
	m, found := r.matches[key]
	if !found {
		m.matches, m.err = r.selects(subrequest, device)
		r.matches[key] = m
	}
	return m.matches, m.err
}

func (r *Rules) selects(subrequest *Subrequest, device *Device) (bool, error) {
	if !r.features.DeviceBindingAndStatus && len(device.BindingConditions) > 0 {
		return false, nil
	}
	selectors := subrequest.Selectors
	if subrequest.class != nil {
		selectors = slices.Concat(subrequest.class.Spec.Selectors, subrequest.Selectors)
	}
	for _, selector := range selectors {
		selects, err := rules.Selects(context.Background(), r.cel.GetOrCompile(selector.CEL.Expression), device.Device)
		if err != nil || !selects {
			return false, err
		}
	}
	if ptr.Deref(device.slice.Spec.PerDeviceNodeSelection, false) {
		return rules.NodesOf(&device.slice.Spec, device.Device.Device).Include(r.node)
	}
	return true, nil
}

// usable verifies the rules that depend on one choice alone.
func (r *Rules) usable(choice Choice) error {
	subrequest, device := r.Subrequest(choice), choice.Device
	if subrequest.class == nil {
		return errors.New("the class does not exist")
	}
	matches, err := r.Matches(subrequest, device)
	if err != nil {
		return fmt.Errorf("evaluate selectors: %w", err)
	}
	if !matches {
		return errors.New("not selected")
	}
	skips := r.features.OptionalNodeOperations && slices.Contains(r.node.Status.DeclaredFeatures, "DRAOptionalNodeOperations")
	if len(device.slice.Spec.SkipNodeOperations) > 0 && !skips {
		return errors.New("needs node operations to be skipped, which the node does not do")
	}
	if !r.features.PartitionableDevices && len(device.ConsumesCounters) > 0 {
		return errors.New("uses counters, which are not counted without the feature")
	}
	if taints := rules.Untolerated(device.Taints, subrequest.Tolerations); r.features.DeviceTaints && len(taints) > 0 {
		return fmt.Errorf("taint %s:%s is not tolerated", taints[0].Key, taints[0].Effect)
	}
	return nil
}

// ErrNone is returned if no device matches a subrequest with allocation mode All.
var ErrNone = errors.New("no device matches, and all means at least one")

// All returns the devices of a subrequest with allocation mode All: those that match
// and are large enough, whether or not they are allocated. There must be at
// least one, and no pool that is visible on the node may be incomplete or
// invalid.
func (r *Rules) All(subrequest *Subrequest) ([]*Device, error) {
	for _, pool := range r.pools {
		if pool.incomplete || pool.invalid != nil {
			return nil, fmt.Errorf("pool %s/%s is not usable, so that all devices are not known", pool.driver, pool.name)
		}
	}
	var devices []*Device
	for _, device := range r.Devices {
		matches, err := r.Matches(subrequest, device)
		if err != nil {
			return nil, err
		}
		if matches && r.features.ConsumableCapacity {
			matches = r.large(subrequest, device)
		}
		if matches {
			devices = append(devices, device)
		}
	}
	if len(devices) == 0 {
		return nil, ErrNone
	}
	return devices, nil
}
