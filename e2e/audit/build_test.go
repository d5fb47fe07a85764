// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const driver = "gpu.example.com"

// values are counters by name.
type values map[string]string

func (v values) counters() map[string]resourceapi.Counter {
	counters := map[string]resourceapi.Counter{}
	for name, value := range v {
		counters[name] = resourceapi.Counter{Value: resource.MustParse(value)}
	}
	return counters
}

// slice returns the only slice of a pool, unless options change it.
func slice(pool string, options ...func(*resourceapi.ResourceSliceSpec)) resourceapi.ResourceSlice {
	s := resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{
		Driver: driver, Pool: resourceapi.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1},
	}}
	for _, o := range options {
		o(&s.Spec)
	}
	return s
}

func of(driver string) func(*resourceapi.ResourceSliceSpec) {
	return func(s *resourceapi.ResourceSliceSpec) { s.Driver = driver }
}

func generation(n int64) func(*resourceapi.ResourceSliceSpec) {
	return func(s *resourceapi.ResourceSliceSpec) { s.Pool.Generation = n }
}

func inPoolOf(n int64) func(*resourceapi.ResourceSliceSpec) {
	return func(s *resourceapi.ResourceSliceSpec) { s.Pool.ResourceSliceCount = n }
}

func set(name string, v values) func(*resourceapi.ResourceSliceSpec) {
	return func(s *resourceapi.ResourceSliceSpec) {
		s.SharedCounters = append(s.SharedCounters, resourceapi.CounterSet{Name: name, Counters: v.counters()})
	}
}

func makeDevices(all ...resourceapi.Device) func(*resourceapi.ResourceSliceSpec) {
	return func(s *resourceapi.ResourceSliceSpec) { s.Devices = append(s.Devices, all...) }
}

func device(name string, options ...func(*resourceapi.Device)) resourceapi.Device {
	d := resourceapi.Device{Name: name}
	for _, o := range options {
		o(&d)
	}
	return d
}

func consumes(set string, v values) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		d.ConsumesCounters = append(d.ConsumesCounters, resourceapi.DeviceCounterConsumption{CounterSet: set, Counters: v.counters()})
	}
}

// grouped makes a device consume a unit of memory with compatibility groups.
func grouped(groups ...string) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		consumes("gpu", values{"memory": "1"})(d)
		d.ConsumesCounters[0].CompatibilityGroups = groups
	}
}

func shared(d *resourceapi.Device) { d.AllowMultipleAllocations = ptr.To(true) }

func attribute(name, value string) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		if d.Attributes == nil {
			d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
		}
		d.Attributes[resourceapi.QualifiedName(name)] = resourceapi.DeviceAttribute{StringValue: ptr.To(value)}
	}
}

// claim returns an allocated claim in the namespace "ns".
func claim(name string, results ...resourceapi.DeviceRequestAllocationResult) resourceapi.ResourceClaim {
	return resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns"},
		Status:     resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: results}}},
	}
}

func result(pool, device string, options ...func(*resourceapi.DeviceRequestAllocationResult)) resourceapi.DeviceRequestAllocationResult {
	r := resourceapi.DeviceRequestAllocationResult{Request: "request", Driver: driver, Pool: pool, Device: device}
	for _, o := range options {
		o(&r)
	}
	return r
}

func forAdmin(r *resourceapi.DeviceRequestAllocationResult) { r.AdminAccess = ptr.To(true) }

func from(driver string) func(*resourceapi.DeviceRequestAllocationResult) {
	return func(r *resourceapi.DeviceRequestAllocationResult) { r.Driver = driver }
}

func toRequest(name string) func(*resourceapi.DeviceRequestAllocationResult) {
	return func(r *resourceapi.DeviceRequestAllocationResult) { r.Request = name }
}

// capacity gives a device the capacity "memory".
func capacity(value string, policy *resourceapi.CapacityRequestPolicy) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse(value), RequestPolicy: policy}}
	}
}

func quantities(name, value string) map[resourceapi.QualifiedName]resource.Quantity {
	return map[resourceapi.QualifiedName]resource.Quantity{resourceapi.QualifiedName(name): resource.MustParse(value)}
}

func taint(effect resourceapi.DeviceTaintEffect) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		d.Taints = append(d.Taints, resourceapi.DeviceTaint{Key: "broken", Value: "yes", Effect: effect})
	}
}

func selectors(expressions ...string) []resourceapi.DeviceSelector {
	var all []resourceapi.DeviceSelector
	for _, e := range expressions {
		all = append(all, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: e}})
	}
	return all
}
