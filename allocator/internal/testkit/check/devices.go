package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"
)

type matchKey struct {
	ask    *Ask
	device *Device
}

type match struct {
	matches bool
	err     error
}

// Matches reports whether the device matches the ask: the selectors of class
// and request select it, and it is available on the node. It returns the error
// of a selector.
func (r *Rules) Matches(ask *Ask, device *Device) (bool, error) {
	key := matchKey{ask, device}
	m, found := r.matches[key]
	if !found {
		m.matches, m.err = r.selects(ask, device)
		r.matches[key] = m
	}
	return m.matches, m.err
}

func (r *Rules) selects(ask *Ask, device *Device) (bool, error) {
	if !r.features.DeviceBindingAndStatus && len(device.BindingConditions) > 0 {
		return false, nil
	}
	for _, selector := range ask.selectors {
		program := r.cel.GetOrCompile(selector.CEL.Expression)
		if program.Error != nil {
			return false, program.Error
		}
		matches, _, err := program.DeviceMatches(context.Background(), celDevice(device))
		if err != nil || !matches {
			return false, err
		}
	}
	if ptr.Deref(device.slice.Spec.PerDeviceNodeSelection, false) {
		return onNode(r.node, device.NodeName, device.AllNodes, device.NodeSelector)
	}
	return true, nil
}

func celDevice(device *Device) cel.Device {
	return cel.Device{
		Driver: device.pool.driver, AllowMultipleAllocations: device.AllowMultipleAllocations,
		Attributes: device.Attributes, Capacity: device.Capacity,
	}
}

// usable verifies the rules that depend on one choice alone.
func (r *Rules) usable(choice Choice) error {
	ask, device := r.Ask(choice), choice.Device
	if ask.class == nil {
		return errors.New("the class does not exist")
	}
	matches, err := r.Matches(ask, device)
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
		return errors.New("uses counters, which nobody counts")
	}
	if r.features.DeviceTaints {
		for _, taint := range device.Taints {
			if prevents(taint) && !tolerated(taint, ask.tolerations) {
				return fmt.Errorf("taint %s:%s is not tolerated", taint.Key, taint.Effect)
			}
		}
	}
	return nil
}

func prevents(taint resourceapi.DeviceTaint) bool {
	return taint.Effect == resourceapi.DeviceTaintEffectNoSchedule || taint.Effect == resourceapi.DeviceTaintEffectNoExecute
}

// tolerated implements the documentation of DeviceToleration: an empty key or
// effect matches all, and Exists ignores the value.
func tolerated(taint resourceapi.DeviceTaint, tolerations []resourceapi.DeviceToleration) bool {
	for _, t := range tolerations {
		effect := t.Effect == "" || t.Effect == taint.Effect
		key := t.Key == "" || t.Key == taint.Key
		value := t.Operator == resourceapi.DeviceTolerationOpExists ||
			(t.Operator == "" || t.Operator == resourceapi.DeviceTolerationOpEqual) && t.Value == taint.Value
		if effect && key && value {
			return true
		}
	}
	return false
}

// Count returns how many devices the ask requires. It returns false for
// allocation mode All.
func (a *Ask) Count() (int64, bool) {
	return a.count, !a.all
}

// ErrNone is returned if no device matches an ask with allocation mode All.
var ErrNone = errors.New("no device matches, and all means at least one")

// All returns the devices of an ask with allocation mode All: those that match
// and are large enough, whether or not they are allocated. There must be at
// least one, and no pool that is visible on the node may be incomplete or
// invalid.
func (r *Rules) All(ask *Ask) ([]*Device, error) {
	for _, pool := range r.pools {
		if pool.incomplete || pool.invalid != nil {
			return nil, fmt.Errorf("pool %s/%s is not usable, so that all devices are not known", pool.driver, pool.name)
		}
	}
	var devices []*Device
	for _, device := range r.Devices {
		matches, err := r.Matches(ask, device)
		if err != nil {
			return nil, err
		}
		if matches && r.features.ConsumableCapacity {
			matches = r.large(ask, device)
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
