// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package inputs

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// Everyday returns problems that have a solution and need little search. Those
// whose name begins with perf have the shapes of kube-scheduler's benchmark.
func Everyday() []Input {
	list := []Input{
		{Name: "1-of-10", Build: func() *problem.Problem { return plain(10, claim("c", request("r", 1))) }},
		{Name: "4-of-128", Build: func() *problem.Problem { return plain(128, claim("c", request("r", 4))) }},
		{Name: "mig-claim-on-8-gpus", Build: migClaim},
		{Name: "tpu-4x4-of-8x8", Build: func() *problem.Problem { return tpuClaim("4x4") }},
		{Name: "perf-basic-full-but-one", Build: basic},
		{Name: "perf-selector", Build: func() *problem.Problem {
			return perf(claim("c", request("r", 1, `device.attributes["`+Driver+`"].driverVersion.major() >= 1 && device.capacity["`+Driver+`"].memory.isGreaterThan(quantity("1Mi"))`)))
		}},
		{Name: "perf-match", Build: func() *problem.Problem {
			return perf(matching(claim("c", repeated(5)...), "resource.kubernetes.io/pciRoot"))
		}},
		{Name: "perf-partitionable", Build: partitionable},
		{Name: "perf-partitionable-backtracking", Build: backtracking},
		{Name: "perf-consumable-capacity", Build: func() *problem.Problem { return shares(1, 4, 0) }},
		{Name: "perf-list-attributes", Build: listAttributes},
		{Name: "perf-first-available", Build: firstAvailable},
	}
	for i := range list {
		list[i].Class = diff.Fit
	}
	return list
}

// perf returns a problem with the ten devices of the benchmark and their many
// attributes.
func perf(claims ...*resourceapi.ResourceClaim) *problem.Problem {
	list := devices(10, func(i int, device *resourceapi.Device) {
		device.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"driver": str("xe"), "driverVersion": {VersionValue: ptr.To("1.2.3")}, "family": str("Arc Pro B-Series"),
			"health": str("Healthy"), "model": str("B60"), "pciId": str("0xe211"), "sriov": {BoolValue: ptr.To(true)}, "type": str("gpu"),
			"pciAddress": str(fmt.Sprintf("0000:%02d:00.0", i)), "pciRoot": str(fmt.Sprintf("%02d", i%2)),
			"resource.k8s.io/pciRoot":         str(fmt.Sprint(i % 2)),
			"resource.kubernetes.io/pciBusID": str(fmt.Sprintf("0000:%02d:00.0", i)),
			"resource.kubernetes.io/pciRoot":  str(fmt.Sprintf("pci0000:%02d", i%2)),
		}
		device.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
			"memory": {Value: resource.MustParse("24480Mi")}, "millicores": {Value: resource.MustParse("1k")},
		}
	})
	return on(1, []*resourceapi.ResourceSlice{slice(nodeName(0), "pool", list)}, claims...)
}

func basic() *problem.Problem {
	p := perf(claim("c", request("r", 1)))
	for _, device := range p.Slices[0].Spec.Devices[:9] {
		p.Allocated = append(p.Allocated, holding(device.Name, "pool", device.Name))
	}
	return p
}

func partitionable() *problem.Problem {
	counters := map[string]string{"counter1": "1", "counter2": "1", "counter3": "1", "counter4": "1"}
	list := devices(2, func(i int, device *resourceapi.Device) {
		uses := map[string]string{fmt.Sprintf("counter%d", 2*i+1): "1", fmt.Sprintf("counter%d", 2*i+2): "1"}
		device.ConsumesCounters = []resourceapi.DeviceCounterConsumption{consumption("set", uses)}
	})
	return on(1, partitioned(nodeName(0), "pool", []resourceapi.CounterSet{counterSet("set", counters)}, list), claim("c", request("r", 2)))
}

// backtracking returns a problem whose first device leaves too little memory
// for the rest.
func backtracking() *problem.Problem {
	cpus := map[string]string{}
	list := devices(8, func(i int, device *resourceapi.Device) {
		cpu, memory := fmt.Sprintf("cpu%d", i), "10Gi"
		if i == 0 {
			memory = "20Gi"
		}
		cpus[cpu] = "1"
		device.ConsumesCounters = []resourceapi.DeviceCounterConsumption{
			consumption("cpu", map[string]string{cpu: "1"}), consumption("memory", map[string]string{"memory": memory}),
		}
	})
	sets := []resourceapi.CounterSet{counterSet("cpu", cpus), counterSet("memory", map[string]string{"memory": "70Gi"})}
	return on(1, partitioned(nodeName(0), "pool", sets, list), claim("c", request("r", 7)))
}

func bandwidthDevices(n int) []resourceapi.Device {
	return devices(n, func(i int, device *resourceapi.Device) {
		device.AllowMultipleAllocations = ptr.To(true)
		device.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"index": {IntValue: ptr.To(int64(i))}}
		device.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"bandwidth": {
			Value: resource.MustParse("10G"),
			RequestPolicy: &resourceapi.CapacityRequestPolicy{
				Default:    ptr.To(resource.MustParse("1M")),
				ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: ptr.To(resource.MustParse("1M")), Step: ptr.To(resource.MustParse("8"))},
			},
		}}
	})
}

// bandwidthClaim requests shares of two devices.
func bandwidthClaim() *resourceapi.ResourceClaim {
	r := request("r", 2)
	r.Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"bandwidth": resource.MustParse("2500M")}}
	return distinct(claim("c", r), Driver+"/index")
}

// listAttributes returns a problem with 32 devices without the common value,
// followed by 32 devices with it.
func listAttributes() *problem.Problem {
	list := devices(64, func(i int, device *resourceapi.Device) {
		var values []string
		if i >= 32 {
			values = append(values, "shared")
		}
		for j := range 47 {
			values = append(values, fmt.Sprintf("device-%d-value-%d", i, j))
		}
		device.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"match": {StringValues: values}}
	})
	p := on(1, []*resourceapi.ResourceSlice{slice(nodeName(0), "pool", list)}, matching(claim("c", repeated(32)...), Driver+"/match"))
	p.Features = ptr.To(problem.Features(problem.AllFeatures))
	return p
}

func firstAvailable() *problem.Problem {
	missing, usual := request("missing", 1, none).Exactly, request("usual", 1).Exactly
	r := resourceapi.DeviceRequest{Name: "r", FirstAvailable: []resourceapi.DeviceSubRequest{
		{Name: "missing", DeviceClassName: Class, Selectors: missing.Selectors, AllocationMode: missing.AllocationMode, Count: 1},
		{Name: "usual", DeviceClassName: Class, AllocationMode: usual.AllocationMode, Count: 1},
	}}
	return perf(claim("c", r))
}
