// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite/env"
)

const inWrongPool = "should be unschedulable, because the pool of its device contradicts itself"

// wrongPools are clusters with faults of pools and their ResourceSlices.
var wrongPools = wrong.Table{
	"scheduler allocates from an older generation": misread(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			if slice.Spec.Pool.Generation == 1 {
				slice.Spec.Pool.Name += "-of-its-own"
			}
		}
	}, "pool-newest-generation-counts", "pod old should be unschedulable, because its device is in an older generation of the pool"),
	"scheduler compares the generations of each node by itself": misread(func(s *fakecluster.Scene) {
		s.Objects.Slices = slices.DeleteFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool {
			return s.Pod.Name == "late" && slice.Spec.Pool.Generation == 2
		})
	}, "pool-newest-generation-counts-on-all-nodes", "pod late should be unschedulable, because the newest generation of the pool does not have its device"),
	"scheduler compares generations as text": misread(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			if slice.Spec.Pool.Generation == 10 {
				slice.Spec.Pool.Generation = 1
			}
		}
	}, "pool-generations-are-numbers", "pod new-digits is not scheduled"),
	"scheduler compares 32 bits of generations": misread(generations(func(g int64) int64 { return int64(int32(g)) }),
		"pool-generations-are-numbers", "pod new-int32 is not scheduled"),
	"scheduler compares 32 bits without a sign of generations": misread(generations(func(g int64) int64 { return int64(uint32(g)) }),
		"pool-generations-are-numbers", "pod new-uint32 is not scheduled"),
	"scheduler compares generations as floating-point numbers": misread(generations(func(g int64) int64 { return int64(float64(g)) }),
		"pool-generations-are-numbers", "float64"),
	"scheduler accepts two devices of one name":      misread(repairs("twice"), "pool-invalid-is-passed-over", inWrongPool, "claim plain-duplicate-device was allocated"),
	"scheduler accepts two counter sets of one name": misread(repairs("same"), "pool-invalid-is-passed-over", inWrongPool, "claim plain-duplicate-counter-set was allocated"),
	"scheduler accepts references to other pools":    misread(dropsConsumer("gpu", "units"), "pool-invalid-is-passed-over", inWrongPool, "claim plain-unknown-counter-set was allocated"),
	"scheduler accepts unknown counters":             misread(dropsConsumer("gpu", "memory"), "pool-invalid-is-passed-over", inWrongPool, "claim plain-unknown-counter was allocated"),
	"scheduler checks the first counter set of a device": misread(func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
			device.ConsumesCounters = device.ConsumesCounters[:min(1, len(device.ConsumesCounters))]
		})
	}, "pool-invalid-is-passed-over", inWrongPool, "claim plain-unknown-behind was allocated"),
	"scheduler ignores the pools after an invalid one": misread(blocksNodes, "pool-invalid-is-passed-over", "pod valid-duplicate-device is not scheduled"),
	"scheduler does not report invalid pools": misread(ignoresPools("-wrong"), "pool-invalid-is-reported",
		"the scheduler should report about pod plain that the pool of its device is invalid"),
	"scheduler ignores incomplete pools when allocating all devices": misread(ignoresPools("-late"), "pool-all-waits-for-every-pool",
		"a pod like with-incomplete should be pending, because it is not known which devices the other pool of its node has", "was allocated"),
	"scheduler ignores invalid pools when allocating all devices": misread(ignoresPools("-wrong"), "pool-all-waits-for-every-pool",
		"a pod like with-invalid should be pending, because it is not known which devices the other pool of its node has", "was allocated"),
	"scheduler waits for the pools of other nodes": misread(func(s *fakecluster.Scene) {
		if s.Pod.Name == "with-whole" {
			s.Nodes = nil
		}
	}, "pool-all-waits-for-every-pool", "pod with-whole is not scheduled"),
	"scheduler never finds a pool complete": misread(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			if slice.Spec.Pool.ResourceSliceCount == 2 {
				slice.Spec.Pool.ResourceSliceCount++
			}
		}
	}, "pool-all-waits-for-every-pool", "pod with-incomplete-0 is not scheduled"),
	"scheduler stores the devices of one pool for all": miswrite(func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
		results[0].Devices.Results = results[0].Devices.Results[:1]
	}, "pool-all-waits-for-every-pool", "claim with-incomplete-0 asks for all devices of both pools"),
	"scheduler allocates from incomplete pools": misread(func(s *fakecluster.Scene) {
		there := map[string]int64{}
		for _, slice := range s.Objects.Slices {
			there[slice.Spec.Pool.Name]++
		}
		for _, slice := range s.Objects.Slices {
			slice.Spec.Pool.ResourceSliceCount = there[slice.Spec.Pool.Name]
		}
	}, "pool-incomplete-is-not-used", "should be unschedulable, because a slice of the pool on its node is missing"),
	"scheduler does not wait for empty slices": misread(func(s *fakecluster.Scene) {
		s.Objects.Slices = slices.DeleteFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool {
			slice.Spec.Pool.ResourceSliceCount = min(2, slice.Spec.Pool.ResourceSliceCount)
			return len(slice.Spec.Devices)+len(slice.Spec.SharedCounters) == 0
		})
	}, "pool-incomplete-is-not-used", "should be unschedulable, because a slice of the pool on its node is missing", "claim pod-2 was allocated"),
	"scheduler uses counters of an older generation": misread(mixesGenerations, "pool-generations-are-not-mixed",
		"a pod like first should be pending, because the counter set that its device names is in the older generation alone"),
	"scheduler keeps the newest generation of a pool that was deleted": misread(ignoresLowerGenerations(),
		"pool-generation-is-reset", "pod after is not scheduled"),
	"scheduler keeps the first generation of a pool": misread(usesFirstCounterSets(), "pool-changes-under-allocated-devices",
		"a pod like second should be pending, because the pool has become smaller, and claim first leaves too little of it"),
	"scheduler takes less than nothing for much": misread(func(s *fakecluster.Scene) {
		forEachCounterSet(s, func(set *resourceapi.CounterSet) {
			if units := set.Counters["units"]; units.Value.CmpInt64(3) == 0 {
				set.Counters["units"] = resourceapi.Counter{Value: resource.MustParse("1000")}
			}
		})
	}, "pool-changes-under-allocated-devices", "a pod like less should be pending, because the pool has fewer units than claim first has"),
	"scheduler forgets the counters of devices whose slices are deleted": misread(wrong.ForgetHolders(),
		"pool-changes-under-allocated-devices", "counter units of counter set gpu", "is overdrawn", "four-d"),
	"scheduler does not allocate partitions without counters": {
		Options: fakecluster.Options{WithoutPartitions: true, Admit: dropsCounters, Mistakes: fakecluster.MistakesOf(fakecluster.SchedulerMistakes{Misreads: func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(device resourceapi.Device) bool { return device.Name == "left" })
			}
		}})},
		Target: wrong.WithoutFeature(features.Partitions),
		Spec:   "partition-fields-are-dropped", Want: []string{"while waiting until pod left is scheduled"},
	},
	"API server drops consumed counters": {
		Options: fakecluster.Options{Admit: func(spec *resourceapi.ResourceSliceSpec) {
			for i := range spec.Devices {
				spec.Devices[i].ConsumesCounters = nil
			}
		}},
		Spec: "slice-fields-are-kept", Want: []string{"the API server should store all fields of", "gpu-1"},
	},
	"API server accepts invalid slices": {
		Spec: "slice-mistakes-are-refused",
		Want: []string{"the API server should reject counter sets and devices in one slice as invalid: <nil>"},
	},
	"API server has no limits": {
		Spec: "slice-limits-hold", Want: []string{"the API server should reject 9 counter sets"},
	},
	"API server stores fields of a missing feature": {
		Target: func(there *env.Target) {
			there.Found[features.Partitions] = features.Presence{Source: "it is said to be off"}
		},
		Spec: "partition-fields-are-dropped", Want: []string{"the API server should drop sharedCounters"},
	},
}

// dropsCounters stores slices as an API server without partitions does.
func dropsCounters(spec *resourceapi.ResourceSliceSpec) {
	spec.SharedCounters, spec.PerDeviceNodeSelection = nil, nil
	for i := range spec.Devices {
		spec.Devices[i] = resourceapi.Device{Name: spec.Devices[i].Name, Attributes: spec.Devices[i].Attributes}
	}
}

// generations returns a change of all generations that a scheduler reads.
func generations(read func(int64) int64) func(*fakecluster.Scene) {
	return func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			slice.Spec.Pool.Generation = read(slice.Spec.Pool.Generation)
		}
	}
}

// ignoresLowerGenerations makes the scheduler see only the slices of a pool whose generation
// is the highest that it has ever had.
func ignoresLowerGenerations() func(*fakecluster.Scene) {
	newest := map[string]int64{}
	return func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			newest[slice.Spec.Pool.Name] = max(newest[slice.Spec.Pool.Name], slice.Spec.Pool.Generation)
		}
		s.Objects.Slices = slices.DeleteFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool {
			return slice.Spec.Pool.Generation < newest[slice.Spec.Pool.Name]
		})
	}
}
