// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/internal/rules"
)

// Each check returns only the first problem that it finds.

func checkCounterSet(set resourceapi.CounterSet) error {
	return cmp.Or(
		checkLabel(set.Name),
		checkCounters(set.Counters, resourceapi.ResourceSliceMaxCountersPerCounterSet),
	)
}

func checkDevice(device *resourceapi.Device) error {
	return cmp.Or(
		checkLabel(device.Name),
		rules.AtMost(len(device.Attributes)+len(device.Capacity), resourceapi.ResourceSliceMaxAttributesAndCapacitiesPerDevice, "attributes and capacities"),
		rules.AtMost(len(device.Taints), resourceapi.DeviceTaintsMaxLength, "taints"),
		rules.AtMost(len(device.BindingConditions), resourceapi.BindingConditionsMaxSize, "binding conditions"),
		rules.AtMost(len(device.BindingFailureConditions), resourceapi.BindingFailureConditionsMaxSize, "binding failure conditions"),
		checkAttributes(device.Attributes),
		checkCapacities(device),
		checkConsumption(device.ConsumesCounters),
	)
}

// checkAffinity checks a device's declaration of sharing affinity.
func checkAffinity(device *resourceapi.Device, declared affinity.Declaration) error {
	if !isShared(device) {
		return errors.New("has a sharingAffinity, which requires allowMultipleAllocations")
	}
	return about(declared.Validate(), "sharingAffinity")
}

func checkAttributes(attributes map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) error {
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if err := cmp.Or(rules.CheckQualifiedName(string(name)), checkAttribute(attributes[name])); err != nil {
			return about(err, "attribute %q", name)
		}
	}
	return rules.AtMost(rules.CountValues(attributes), resourceapi.ResourceSliceMaxAttributeValuesPerDevice, "attribute values")
}

// checkAttribute checks that exactly one value is set and that its length is
// within the limit.
func checkAttribute(value resourceapi.DeviceAttribute) error {
	if err := rules.CheckAttribute(value); err != nil {
		return err
	}
	for _, text := range slices.Concat(rules.StringsOf(value)) {
		if err := rules.AtMost(len(text), resourceapi.DeviceAttributeMaxValueLength, "characters in its value"); err != nil {
			return err
		}
	}
	return nil
}

func checkCapacities(device *resourceapi.Device) error {
	for _, name := range slices.Sorted(maps.Keys(device.Capacity)) {
		if err := cmp.Or(rules.CheckQualifiedName(string(name)), checkPolicy(device.Capacity[name], isShared(device))); err != nil {
			return about(err, "capacity %q", name)
		}
	}
	return nil
}

// checkPolicy checks the request policy of a capacity. The API allows a policy
// only for a device with allowMultipleAllocations.
func checkPolicy(capacity resourceapi.DeviceCapacity, shared bool) error {
	policy := capacity.RequestPolicy
	if policy == nil {
		return nil
	}
	if !shared {
		return errors.New("has a requestPolicy, which requires allowMultipleAllocations")
	}
	if problems := rules.PolicyProblems(field.NewPath("requestPolicy"), policy, capacity.Value); len(problems) > 0 {
		return problems[0]
	}
	return rules.AtMost(len(policy.ValidValues), rules.MaxPolicyValues, "validValues")
}

func checkConsumption(consumption []resourceapi.DeviceCounterConsumption) error {
	if err := rules.AtMost(len(consumption), resourceapi.ResourceSliceMaxDeviceCounterConsumptionsPerDevice, "counter sets to consume from"); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, c := range consumption {
		if seen[c.CounterSet] {
			return fmt.Errorf("consumes from counter set %q twice", c.CounterSet)
		}
		seen[c.CounterSet] = true
		if err := checkCounters(c.Counters, resourceapi.ResourceSliceMaxCountersPerDeviceCounterConsumption); err != nil {
			return about(err, "consumption from counter set %q", c.CounterSet)
		}
	}
	return nil
}

func checkCounters(counters map[string]resourceapi.Counter, limit int) error {
	if len(counters) == 0 {
		return errors.New("has no counters, at least 1 is required")
	}
	if err := rules.AtMost(len(counters), limit, "counters"); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(counters)) {
		if err := checkLabel(name); err != nil {
			return about(err, "counter %q", name)
		}
	}
	return nil
}

// checkLabel checks that a name is a DNS label.
func checkLabel(name string) error {
	if err := rules.AtMost(len(name), validation.DNS1123LabelMaxLength, "characters in its name"); err != nil {
		return err
	}
	if len(validation.IsDNS1123Label(name)) > 0 {
		return fmt.Errorf("its name %q is not a DNS label", name)
	}
	return nil
}
