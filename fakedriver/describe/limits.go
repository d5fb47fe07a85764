package describe

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/draconform/draconform/fakedriver/affinity"
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
		atMost(len(device.Attributes)+len(device.Capacity), resourceapi.ResourceSliceMaxAttributesAndCapacitiesPerDevice, "attributes and capacities"),
		atMost(len(device.Taints), resourceapi.DeviceTaintsMaxLength, "taints"),
		atMost(len(device.BindingConditions), resourceapi.BindingConditionsMaxSize, "binding conditions"),
		atMost(len(device.BindingFailureConditions), resourceapi.BindingFailureConditionsMaxSize, "binding failure conditions"),
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
	values := 0
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		value := attributes[name]
		values += max(1, len(value.IntValues)+len(value.BoolValues)+len(value.StringValues)+len(value.VersionValues))
		if err := cmp.Or(checkQualifiedName(string(name)), checkAttribute(value)); err != nil {
			return about(err, "attribute %q", name)
		}
	}
	return atMost(values, resourceapi.ResourceSliceMaxAttributeValuesPerDevice, "attribute values")
}

// checkAttribute checks that exactly one value is set and that its length is
// within the limit.
func checkAttribute(value resourceapi.DeviceAttribute) error {
	set := 0
	for _, isSet := range []bool{
		value.IntValue != nil, value.BoolValue != nil, value.StringValue != nil, value.VersionValue != nil,
		value.IntValues != nil, value.BoolValues != nil, value.StringValues != nil, value.VersionValues != nil,
	} {
		if isSet {
			set++
		}
	}
	if set != 1 {
		return fmt.Errorf("has %d values, exactly 1 must be set", set)
	}
	texts := slices.Concat(value.StringValues, value.VersionValues)
	for _, text := range []*string{value.StringValue, value.VersionValue} {
		if text != nil {
			texts = append(texts, *text)
		}
	}
	for _, text := range texts {
		if err := atMost(len(text), resourceapi.DeviceAttributeMaxValueLength, "characters in its value"); err != nil {
			return err
		}
	}
	return nil
}

func checkCapacities(device *resourceapi.Device) error {
	for _, name := range slices.Sorted(maps.Keys(device.Capacity)) {
		if err := cmp.Or(checkQualifiedName(string(name)), checkPolicy(device.Capacity[name], isShared(device))); err != nil {
			return about(err, "capacity %q", name)
		}
	}
	return nil
}

func checkConsumption(consumption []resourceapi.DeviceCounterConsumption) error {
	if err := atMost(len(consumption), resourceapi.ResourceSliceMaxDeviceCounterConsumptionsPerDevice, "counter sets to consume from"); err != nil {
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
	if err := atMost(len(counters), limit, "counters"); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(counters)) {
		if err := checkLabel(name); err != nil {
			return about(err, "counter %q", name)
		}
	}
	return nil
}

// checkQualifiedName checks the name of an attribute or a capacity: a C
// identifier with an optional domain prefix.
func checkQualifiedName(name string) error {
	domain, id := splitDomain(name)
	if domain != "" {
		domain = domain[:len(domain)-1]
		if err := atMost(len(domain), resourceapi.DeviceMaxDomainLength, "characters in its domain"); err != nil {
			return err
		}
		if problems := validation.IsDNS1123Subdomain(domain); len(problems) > 0 {
			return fmt.Errorf("its domain %q is not a DNS subdomain", domain)
		}
	}
	if len(validation.IsCIdentifier(id)) > 0 {
		return fmt.Errorf("%q is not a C identifier", id)
	}
	return atMost(len(id), resourceapi.DeviceMaxIDLength, "characters in its name")
}

// checkLabel checks that a name is a DNS label.
func checkLabel(name string) error {
	if err := atMost(len(name), validation.DNS1123LabelMaxLength, "characters in its name"); err != nil {
		return err
	}
	if len(validation.IsDNS1123Label(name)) > 0 {
		return fmt.Errorf("its name %q is not a DNS label", name)
	}
	return nil
}

func atMost(number, limit int, of string) error {
	if number > limit {
		return fmt.Errorf("has %d %s, at most %d are allowed", number, of, limit)
	}
	return nil
}
