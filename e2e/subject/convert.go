// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"cmp"
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/workload/report"
)

// Of returns the subject that validated driver files describe. Each role may be
// in the file of one driver only, because a spec uses the devices of one driver
// per role.
func Of(drivers ...*driverfile.Driver) (Subject, error) { return OfRun("", drivers...) }

// OfRun is [Of] for a run with an ID or a part of it, which the names of inline
// classes contain. DeviceClasses are not namespaced, and those of parallel runs
// must not have the same name.
func OfRun(run string, drivers ...*driverfile.Driver) (Subject, error) {
	s := Subject{
		Seen:         func(c Container) (Seen, error) { return seen(drivers, c) },
		Positions:    map[Kind]string{},
		Pods:         map[string]driverfile.Pods{},
		Visible:      map[string]Visible{},
		Capabilities: map[string]map[Capability]Answer{},
	}
	offeredBy := map[Kind]string{}
	for _, d := range drivers {
		s.Pods[d.Name], s.Visible[d.Name], s.Capabilities[d.Name] = d.Pods, visible(d), answers(d)
		c := converter{driver: d, subject: &s, classPrefix: "draconform-"}
		if run != "" {
			c.classPrefix += run + "-"
		}
		for _, kind := range c.convert() {
			if other := offeredBy[kind]; other != "" {
				return Subject{}, fmt.Errorf("drivers %s and %s both have the role %s: leave it out of one of the files, a run judges one driver per role", other, d.Name, roles[kind])
			}
			offeredBy[kind] = d.Name
			s.Positions[kind] = d.Position(roles[kind])
		}
	}
	for _, kind := range Kinds() {
		for _, d := range drivers {
			if s.Positions[kind] == "" {
				s.Positions[kind] = d.Position(roles[kind])
			}
		}
	}
	return s, nil
}

// converter adds the devices of a driver to a subject.
type converter struct {
	driver  *driverfile.Driver
	subject *Subject
	classes int
	// classPrefix is the beginning of the names of inline classes.
	classPrefix string
}

// convert adds the roles of the driver and returns their kinds.
func (c *converter) convert() []Kind {
	var kinds []Kind
	of := c.driver.Roles
	if e := of.Exclusive; e != nil {
		kinds = append(kinds, KindExclusive)
		c.subject.Exclusive = &Exclusive{Parents: c.parents(e.Parents), Device: c.device(&e.Device), Configured: c.configured(e.Configured), Needs: e.Features}
	}
	if p := of.Partitions; p != nil {
		kinds = append(kinds, KindPartition)
		c.subject.Partitions = &Partitions{
			Parents: c.parents(p.Parents), Profile: c.driver.Expand(p.Profile),
			Small: c.device(&p.Small), Big: c.device(p.Big), Mix: c.devices(p.Mix), Full: c.devices(p.Full),
		}
	}
	if m := of.MultiHost; m != nil {
		kinds = append(kinds, KindMultiHost)
		c.subject.MultiHost = &MultiHost{Pair: c.device(&m.Pair), Quad: c.device(m.Quad)}
		if m.Part != nil {
			c.subject.MultiHost.Part = func(container Container) (Part, error) { return part(c.driver, container) }
		}
		if m.Withdrawn != nil {
			c.subject.MultiHost.Withdrawn = driverfile.NodeLabel{Key: c.driver.Expand(m.Withdrawn.Key), Value: m.Withdrawn.Value}
		}
	}
	if s := of.Shared; s != nil {
		kinds = append(kinds, KindShared)
		c.subject.Shared = &Shared{Share: c.device(&s.Share), Identity: c.driver.Expand(s.Identity), Apart: c.apart(s.Apart)}
	}
	return kinds
}

func (c *converter) parents(p *driverfile.Parents) Parents {
	if p == nil {
		return Parents{}
	}
	return Parents{Parent: c.driver.Expand(p.Attribute), Whole: c.device(&p.Whole)}
}

func (c *converter) devices(all []driverfile.Device) []Device {
	var devices []Device
	for i := range all {
		devices = append(devices, c.device(&all[i]))
	}
	return devices
}

// device converts a device. The result is empty for nil.
func (c *converter) device(d *driverfile.Device) Device {
	if d == nil {
		return Device{}
	}
	device := Device{
		Driver: c.driver.Name, Class: c.driver.Expand(d.Class), Selector: c.selector(d.Selectors), Count: d.Count, Config: c.configs(d.Config),
	}
	if d.InlineClass != nil {
		device.Class = c.class(d.InlineClass)
	}
	for name, amount := range d.Capacity {
		if device.Capacity == nil {
			device.Capacity = map[resourceapi.QualifiedName]resource.Quantity{}
		}
		device.Capacity[resourceapi.QualifiedName(c.driver.Expand(name))] = amount
	}
	return device
}

// selector joins CEL expressions.
func (c *converter) selector(all []string) Selector {
	var expressions []string
	for _, expression := range all {
		expressions = append(expressions, c.driver.Expand(expression))
	}
	if len(expressions) > 1 {
		return Selector("(" + strings.Join(expressions, ") && (") + ")")
	}
	return Selector(strings.Join(expressions, ""))
}

// class adds the DeviceClass for an inline class, unless it was added before,
// and returns its name.
func (c *converter) class(inline *driverfile.InlineClass) string {
	spec := resourceapi.DeviceClassSpec{}
	for _, expression := range inline.Selectors {
		spec.Selectors = append(spec.Selectors, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: c.driver.Expand(expression)}})
	}
	for _, config := range c.configs(inline.Config) {
		spec.Config = append(spec.Config, resourceapi.DeviceClassConfiguration{DeviceConfiguration: config})
	}
	for _, class := range c.subject.Classes {
		if equality.Semantic.DeepEqual(class.Spec, spec) {
			return class.Name
		}
	}
	c.classes++
	name := fmt.Sprintf("%s%d.%s", c.classPrefix, c.classes, c.driver.Name)
	c.subject.Classes = append(c.subject.Classes, resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec})
	return name
}

func (c *converter) configs(all []driverfile.Config) []resourceapi.DeviceConfiguration {
	var configs []resourceapi.DeviceConfiguration
	for i := range all {
		configs = append(configs, c.config(&all[i]))
	}
	return configs
}

// config converts a configuration. The result is empty for nil.
func (c *converter) config(config *driverfile.Config) resourceapi.DeviceConfiguration {
	if config == nil {
		return resourceapi.DeviceConfiguration{}
	}
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: cmp.Or(c.driver.Expand(config.Driver), c.driver.Name), Parameters: config.Parameters,
	}}
}

func (c *converter) configured(of *driverfile.Configured) *Configured {
	if of == nil {
		return nil
	}
	driver := c.driver
	return &Configured{
		Config: c.config(&of.Config),
		OfPod:  of.Seen.OfPod(),
		By:     of.Seen.String(),
		Seen: func(container Container) (bool, []string, error) {
			r, err := report.Read(container.Log)
			if err != nil {
				return false, nil, err
			}
			return driver.SeesConfigured(r)
		},
	}
}

func (c *converter) apart(a *driverfile.Apart) *Apart {
	if a == nil {
		return nil
	}
	var keys []string
	for _, key := range a.Keys {
		keys = append(keys, c.driver.Expand(key))
	}
	return &Apart{Keys: keys, One: c.config(&a.One), Other: c.config(&a.Other), Contradicts: c.config(a.Contradicts)}
}
