// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/internal/rules"
)

func limitDevices(p *pass) {
	for _, slice := range p.objects.Slices {
		of := "devices"
		limit, reduced := rules.MaxDevices(slice.Spec.Devices)
		if reduced {
			of = "devices of which some have taints, counters or lists"
		}
		p.atMost(place{slice, devicesPath}, len(slice.Spec.Devices), limit, of)
	}
}

func limitCounterSets(p *pass) {
	for _, slice := range p.objects.Slices {
		p.atMost(place{slice, setsPath}, len(slice.Spec.SharedCounters), resourceapi.ResourceSliceMaxCounterSets, "counter sets")
	}
}

func limitCounters(p *pass) { // The limits for sets and consumptions are equal.
	for at, counters := range p.counters() {
		p.atMost(at, len(counters), resourceapi.ResourceSliceMaxCountersPerCounterSet, "counters")
	}
}

func limitConsumption(p *pass) {
	for at, device := range p.devices() {
		p.atMost(at.child("consumesCounters"), len(device.ConsumesCounters), resourceapi.ResourceSliceMaxDeviceCounterConsumptionsPerDevice, "counter sets to consume from")
	}
}

func limitCompatibilityGroups(p *pass) {
	for at, consumption := range p.consumptions() {
		p.atMost(at.child("compatibilityGroups"), len(consumption.CompatibilityGroups), resourceapi.DeviceCompatibilityGroupsMaxSize, "compatibility groups")
	}
}

func limitAttributes(p *pass) {
	for at, device := range p.devices() {
		p.atMost(at, len(device.Attributes)+len(device.Capacity), resourceapi.ResourceSliceMaxAttributesAndCapacitiesPerDevice, "attributes and capacities")
	}
}

func limitAttributeValues(p *pass) {
	for at, device := range p.devices() {
		p.atMost(at.child("attributes"), rules.CountValues(device.Attributes), resourceapi.ResourceSliceMaxAttributeValuesPerDevice, "attribute values")
	}
}

func limitTaints(p *pass) {
	for at, device := range p.devices() {
		p.atMost(at.child("taints"), len(device.Taints), resourceapi.DeviceTaintsMaxLength, "taints")
	}
}

func limitBindingConditions(p *pass) {
	for at, device := range p.devices() {
		p.atMost(at.child("bindingConditions"), len(device.BindingConditions), resourceapi.BindingConditionsMaxSize, "binding conditions")
		p.atMost(at.child("bindingFailureConditions"), len(device.BindingFailureConditions), resourceapi.BindingFailureConditionsMaxSize, "binding failure conditions")
	}
}

func limitPolicyValues(p *pass) {
	for at, device := range p.devices() {
		for _, name := range sorted(device.Capacity) {
			if policy := device.Capacity[name].RequestPolicy; policy != nil {
				p.atMost(at.child("capacity").key(string(name)).child("requestPolicy", "validValues"), len(policy.ValidValues), rules.MaxPolicyValues, "valid values")
			}
		}
	}
}

func limitRequests(p *pass) {
	for at, devices := range p.claims() {
		p.atMost(at.child("requests"), len(devices.Requests), resourceapi.DeviceRequestsMaxSize, "requests")
		p.atMost(at.child("constraints"), len(devices.Constraints), resourceapi.DeviceConstraintsMaxSize, "constraints")
		p.atMost(at.child("config"), len(devices.Config), resourceapi.DeviceConfigMaxSize, "entries of configuration")
		for i := range devices.Requests {
			p.atMost(at.child("requests").index(i).child("firstAvailable"), len(devices.Requests[i].FirstAvailable), resourceapi.FirstAvailableDeviceRequestMaxSize, "subrequests")
		}
	}
	for _, class := range p.objects.Classes {
		p.atMost(place{class, spec.Child("config")}, len(class.Spec.Config), resourceapi.DeviceConfigMaxSize, "entries of configuration")
	}
}

func limitSelectors(p *pass) {
	for at, list := range p.selectors() {
		p.atMost(at, len(list), resourceapi.DeviceSelectorsMaxSize, "selectors")
		for i := range list {
			if list[i].CEL != nil {
				p.atMost(at.index(i).child("cel", "expression"), len(list[i].CEL.Expression), resourceapi.CELSelectorExpressionMaxLength, "characters")
			}
		}
	}
}

func limitParameters(p *pass) {
	for at, config := range p.configurations() {
		if config.Opaque != nil {
			p.atMost(at.child("opaque", "parameters"), len(config.Opaque.Parameters.Raw), resourceapi.OpaqueParametersMaxLength, "bytes")
		}
	}
}

// limitResults counts the minimum number of devices that a claim requests: the smallest alternative of a request,
// and 1 for allocation mode All.
func limitResults(p *pass) {
	for at, claim := range p.claims() {
		total := int64(0)
		for i := range claim.Requests {
			least := leastDevices(&claim.Requests[i])
			total += min(least, resourceapi.AllocationResultsMaxSize+1) // Larger numbers would only overflow.
		}
		p.atMost(at.child("requests"), int(total), resourceapi.AllocationResultsMaxSize, "devices to allocate")
	}
}

func leastDevices(r *resourceapi.DeviceRequest) int64 {
	devices := func(mode resourceapi.DeviceAllocationMode, count int64) int64 {
		if mode == resourceapi.DeviceAllocationModeAll {
			return 1
		}
		return max(count, 0)
	}
	if r.Exactly != nil {
		return devices(r.Exactly.AllocationMode, r.Exactly.Count)
	}
	least := int64(0)
	for i := range r.FirstAvailable {
		if n := devices(r.FirstAvailable[i].AllocationMode, r.FirstAvailable[i].Count); i == 0 || n < least {
			least = n
		}
	}
	return least
}
