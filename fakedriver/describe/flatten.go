// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/blang/semver/v4"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
	"github.com/draconform/draconform/internal/strictyaml"
)

// flat is a device with the properties of its mixins, under published names.
type flat struct {
	line int
	// written is the device's name in the description. Other devices use it to
	// refer to the device.
	written string
	device  resourceapi.Device
	// capacities are the names of the device's capacities in the order in which
	// the description first mentions them.
	capacities []resourceapi.QualifiedName
	consumes   []reference
	affinity   *sharingAffinity
	// source and sinks are set by connect.
	source *flat
	sinks  []*flat
	// counters are set by counterSet.
	counters map[resourceapi.QualifiedName]string
}

// published are properties under published names.
type published struct {
	attributes strictyaml.Mapping[resourceapi.DeviceAttribute]
	capacities strictyaml.Mapping[resourceapi.DeviceCapacity]
}

// flattener holds the mixins that devices may include and the namespaces of
// published names.
type flattener struct {
	mixins                             map[string]published
	mixinLines                         map[string]int
	devices, attributes, capacityNames *namespace
}

// flatten applies the mixins to all devices, in the order of the description.
func flatten(doc *document) ([]*flat, error) {
	f := &flattener{
		mixins:        map[string]published{},
		mixinLines:    map[string]int{},
		devices:       newNamespace(dnsLabel),
		attributes:    newNamespace(qualifiedName),
		capacityNames: newNamespace(qualifiedName),
	}
	for _, m := range doc.DeviceMixins {
		if err := f.addMixin(m); err != nil {
			return nil, within(m.Line, err, "mixin %q", m.Name)
		}
	}
	devices := make([]*flat, 0, len(doc.Devices))
	lines := map[string]int{}
	for _, d := range doc.Devices {
		if line, ok := lines[d.Name]; ok {
			return nil, at(d.Line, "device %q: described already in line %d", d.Name, line)
		}
		lines[d.Name] = d.Line
		device, err := f.flatten(d)
		if err != nil {
			return nil, within(d.Line, err, "device %q", d.Name)
		}
		devices = append(devices, device)
	}
	return devices, nil
}

func (f *flattener) addMixin(m mixin) error {
	if line, ok := f.mixinLines[m.Name]; ok {
		return fmt.Errorf("described already in line %d", line)
	}
	if m.Composite == nil {
		return errors.New("composite is not set")
	}
	properties, err := f.publish(m.Composite)
	f.mixins[m.Name], f.mixinLines[m.Name] = properties, m.Line
	return err
}

func (f *flattener) flatten(d device) (*flat, error) {
	composite, err := d.composite()
	if err != nil {
		return nil, err
	}
	name, err := f.devices.publish(d.Name, d.Line)
	if err != nil {
		return nil, err
	}
	out := &flat{
		line:     d.Line,
		written:  d.Name,
		consumes: composite.ConsumesCapacityFrom,
		affinity: composite.SharingAffinity,
		device: resourceapi.Device{
			Name:                     name,
			Attributes:               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{},
			Capacity:                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{},
			AllowMultipleAllocations: composite.AllowMultipleAllocations,
		},
	}
	for _, included := range composite.Includes {
		properties, ok := f.mixins[included.Name]
		if !ok {
			return nil, at(included.Line, "includes unknown mixin %q", included.Name)
		}
		out.apply(properties)
	}
	own, err := f.publish(&composite.properties)
	if err != nil {
		return nil, err
	}
	out.apply(own)
	return out, nil
}

// apply sets the properties on the device. They override properties of mixins
// that were applied earlier.
func (d *flat) apply(p published) {
	for _, a := range p.attributes {
		d.device.Attributes[resourceapi.QualifiedName(a.Name)] = a.Value
	}
	for _, c := range p.capacities {
		name := resourceapi.QualifiedName(c.Name)
		if _, ok := d.device.Capacity[name]; !ok {
			d.capacities = append(d.capacities, name)
		}
		d.device.Capacity[name] = c.Value
	}
}

// publish converts properties into types of the API.
func (f *flattener) publish(p *properties) (published, error) {
	var out published
	for _, a := range p.Attributes {
		name, clash := f.attributes.publish(a.Name, a.Line)
		value, err := a.Value.publish()
		if err = cmp.Or(clash, rules.CheckQualifiedName(name), err); err != nil {
			return published{}, within(a.Line, err, "attribute %q", a.Name)
		}
		out.attributes = append(out.attributes, strictyaml.Entry[resourceapi.DeviceAttribute]{Name: name, Line: a.Line, Value: value})
	}
	for _, c := range p.Capacity {
		name, clash := f.capacityNames.publish(c.Name, c.Line)
		value, err := c.Value.publish()
		if err = cmp.Or(clash, rules.CheckQualifiedName(name), err); err != nil {
			return published{}, within(c.Line, err, "capacity %q", c.Name)
		}
		out.capacities = append(out.capacities, strictyaml.Entry[resourceapi.DeviceCapacity]{Name: name, Line: c.Line, Value: value})
	}
	return out, nil
}

func (a attribute) publish() (resourceapi.DeviceAttribute, error) {
	value := resourceapi.DeviceAttribute{IntValue: a.Int, BoolValue: a.Bool, StringValue: a.String}
	if a.Version != nil {
		// The API only accepts semantic versions. NVIDIA's "560.35.03" and the
		// draft's "12.6" are not.
		version, err := semver.ParseTolerant(*a.Version)
		if err != nil {
			return value, fmt.Errorf("version %q is not of the form major.minor.patch", *a.Version)
		}
		value.VersionValue = ptr.To(version.String())
	}
	return value, checkAttribute(value)
}

func (c capacity) publish() (resourceapi.DeviceCapacity, error) {
	if (c.Quantity == nil) == (c.Value == nil) {
		return resourceapi.DeviceCapacity{}, errors.New("exactly one of quantity and value must be set")
	}
	value := cmp.Or(c.Quantity, c.Value)
	if value.Sign() < 0 {
		return resourceapi.DeviceCapacity{}, fmt.Errorf("%s is less than nothing", value)
	}
	return resourceapi.DeviceCapacity{Value: *value, RequestPolicy: c.RequestPolicy}, nil
}
