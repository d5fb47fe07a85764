// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// devices draws the devices of a slice from one or two models, so that equal
// devices are common.
func (d *draw) devices(driver string, first int, sets []resourceapi.CounterSet) []resourceapi.Device {
	models := []resourceapi.Device{d.device(driver, sets)}
	if d.chance("second model", 70) {
		models = append(models, d.device(driver, sets))
	}
	var devices []resourceapi.Device
	for i := range d.crowded(d.number("devices", d.affine(d.size(1, 1, 4), 2), d.size(6, 3, 9))) {
		model := pick(d, "model", models...)
		device := *model.DeepCopy()
		device.Name = fmt.Sprintf("d%d", first+i)
		if d.topic.attributes && d.chance("own attributes", 30) {
			device.Attributes = d.attributes(driver)
		}
		devices = append(devices, device)
	}
	return devices
}

// crowded increases a number of devices or of requested devices so that it
// comes close to the limit of devices per claim.
func (d *draw) crowded(n int) int {
	if d.topic.crowd && d.chance("crowded", 60) {
		return n + pick(d, "crowd", 10, 14, 17, 24)
	}
	return n
}

func (d *draw) device(driver string, sets []resourceapi.CounterSet) resourceapi.Device {
	device := resourceapi.Device{}
	if d.topic.attributes {
		device.Attributes = d.attributes(driver)
	}
	if d.topic.sharing {
		if d.chance("shared", d.affine(65, 85)) {
			device.AllowMultipleAllocations = ptr.To(true)
		}
		device.Capacity = d.capacities(driver)
	}
	if len(sets) > 0 && d.chance("uses counters", 85) {
		set := d.number("set", 0, len(sets)-1)
		device.ConsumesCounters = append(device.ConsumesCounters, d.consumption(sets[set]))
		if len(sets) > 1 && d.chance("uses both sets", 25) {
			device.ConsumesCounters = append(device.ConsumesCounters, d.consumption(sets[1-set]))
		}
	}
	if d.topic.taints && d.chance("tainted", 40) {
		device.Taints = d.taints()
	}
	if d.topic.conditions && d.chance("has binding conditions", 50) {
		device.BindingConditions = []string{"ready"}
		device.BindingFailureConditions = []string{"broken"}
		if d.chance("binds to node", 40) {
			device.BindsToNode = ptr.To(true)
		}
	}
	return device
}

func (d *draw) attributes(driver string) map[resourceapi.QualifiedName]resourceapi.DeviceAttribute {
	attributes := map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
	if d.chance("model", 85) {
		attributes["model"] = resourceapi.DeviceAttribute{StringValue: ptr.To(pick(d, "model", "a", "b"))}
	}
	if d.chance("numa", 90) {
		name := pick(d, "name of numa", "numa", "numa", "numa", driver+"/numa", "example.com/numa")
		attributes[resourceapi.QualifiedName(name)] = d.numa()
	}
	if d.chance("version", 20) {
		attributes["version"] = resourceapi.DeviceAttribute{VersionValue: ptr.To(pick(d, "version", "1.0.0", "1.1.0"))}
	}
	if d.chance("ready", 20) {
		attributes["ready"] = resourceapi.DeviceAttribute{BoolValue: ptr.To(d.chance("is ready", 50))}
	}
	return attributes
}

// numa draws the attribute that most constraints use: a number, sometimes a
// string of the same digits, or a list.
func (d *draw) numa() resourceapi.DeviceAttribute {
	n := int64(d.number("numa", 0, 2))
	switch {
	case d.topic.lists && d.chance("list", 60):
		values := pick(d, "numas", []int64{0}, []int64{1}, []int64{0, 1}, []int64{1, 2}, []int64{0, 2})
		return resourceapi.DeviceAttribute{IntValues: values}
	case d.chance("numa is a string", 10):
		return resourceapi.DeviceAttribute{StringValue: ptr.To(fmt.Sprint(n))}
	default:
		return resourceapi.DeviceAttribute{IntValue: &n}
	}
}

func (d *draw) capacities(driver string) map[resourceapi.QualifiedName]resourceapi.DeviceCapacity {
	capacities := map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}
	if d.chance("bandwidth", d.affine(85, 95)) {
		capacities["bandwidth"] = d.capacity()
	}
	if d.chance("slots", d.affine(30, 10)) {
		capacities[resourceapi.QualifiedName(driver+"/slots")] = resourceapi.DeviceCapacity{Value: resource.MustParse(pick(d, "slots", "2", "1"))}
	}
	return capacities
}

func (d *draw) capacity() resourceapi.DeviceCapacity {
	capacity := resourceapi.DeviceCapacity{Value: d.amount("bandwidth", "", "10", "7", "4")}
	if !d.topic.policies {
		return capacity
	}
	switch pick(d, "policy", "none", "default", "range", "step", "fraction", "values") {
	case "none":
	case "default":
		capacity.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse("2"))}
	case "range":
		capacity.RequestPolicy = ranged("2", "2", "4", "")
	case "step":
		capacity.RequestPolicy = ranged("1", "1", "7", "3")
	case "fraction":
		if d.p.Enabled().FractionalCapacityRange {
			capacity.RequestPolicy = ranged("500m", "500m", "3500m", pick(d, "step", "1", "1500m"))
		}
	case "values":
		capacity.RequestPolicy = &resourceapi.CapacityRequestPolicy{
			Default:     ptr.To(resource.MustParse("1")),
			ValidValues: []resource.Quantity{resource.MustParse("1"), resource.MustParse("3"), resource.MustParse("4")},
		}
	}
	return capacity
}

// ranged returns a policy with a range. An empty step means no step.
func ranged(usual, least, most, step string) *resourceapi.CapacityRequestPolicy {
	policy := &resourceapi.CapacityRequestPolicy{
		Default:    ptr.To(resource.MustParse(usual)),
		ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: ptr.To(resource.MustParse(least)), Max: ptr.To(resource.MustParse(most))},
	}
	if step != "" {
		policy.ValidRange.Step = ptr.To(resource.MustParse(step))
	}
	return policy
}

func (d *draw) taints() []resourceapi.DeviceTaint {
	taints := []resourceapi.DeviceTaint{{
		Key: "example.com/sick", Value: pick(d, "value of taint", "", "yes"),
		Effect: pick(d, "effect", resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoExecute, resourceapi.DeviceTaintEffectNone),
	}}
	if d.chance("second taint", 30) {
		taints = append(taints, resourceapi.DeviceTaint{Key: "example.com/old", Effect: resourceapi.DeviceTaintEffectNoSchedule})
	}
	return taints
}
