// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

func forEachConsumption(s *fakecluster.Scene, do func(*resourceapi.DeviceCounterConsumption)) {
	wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
		for i := range device.ConsumesCounters {
			do(&device.ConsumesCounters[i])
		}
	})
}

func forEachCounterSet(s *fakecluster.Scene, do func(*resourceapi.CounterSet)) {
	for _, slice := range s.Objects.Slices {
		for i := range slice.Spec.SharedCounters {
			do(&slice.Spec.SharedCounters[i])
		}
	}
}

// forgetsClaimsWithout makes the scheduler see no allocated claims after the
// claim of this name is gone.
func forgetsClaimsWithout(name string) func(*fakecluster.Scene) {
	existed := false
	return func(s *fakecluster.Scene) {
		exists := slices.ContainsFunc(s.Objects.Claims, func(claim *resourceapi.ResourceClaim) bool { return claim.Name == name })
		if existed && !exists {
			s.Objects.Claims = nil
		}
		existed = existed || exists
	}
}

// usesFirstCounterSets makes the scheduler see the counter sets that a pool had
// at first.
func usesFirstCounterSets() func(*fakecluster.Scene) {
	first := map[string][]resourceapi.CounterSet{}
	return func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			pool := slice.Spec.Pool.Name
			if len(slice.Spec.SharedCounters) == 0 {
				continue
			}
			if first[pool] == nil {
				first[pool] = slice.Spec.SharedCounters
			}
			slice.Spec.SharedCounters = first[pool]
		}
	}
}

// repairs renames devices and counter sets with this name, so that their names
// are unique. It removes the consumption of such counter sets.
func repairs(name string) func(*fakecluster.Scene) {
	return func(s *fakecluster.Scene) {
		n := 0
		rename := func(other *string) {
			if *other == name {
				n++
				*other = fmt.Sprintf("%s-%d", name, n)
			}
		}
		wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
			rename(&device.Name)
			device.ConsumesCounters = slices.DeleteFunc(device.ConsumesCounters, func(c resourceapi.DeviceCounterConsumption) bool { return c.CounterSet == name })
		})
		forEachCounterSet(s, func(set *resourceapi.CounterSet) { rename(&set.Name) })
	}
}

// dropsConsumer removes devices named consumer that consume this counter of a
// counter set.
func dropsConsumer(set, counter string) func(*fakecluster.Scene) {
	return func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(device resourceapi.Device) bool {
				return device.Name == "consumer" && slices.ContainsFunc(device.ConsumesCounters, func(c resourceapi.DeviceCounterConsumption) bool {
					_, ok := c.Counters[counter]
					return ok && c.CounterSet == set
				})
			})
		}
	}
}

// blocksNodes removes, on each node, the pool whose name ends with -wrong and
// all pools that follow it in alphabetical order.
func blocksNodes(s *fakecluster.Scene) {
	invalid := map[string]string{}
	for _, slice := range s.Objects.Slices {
		if strings.HasSuffix(slice.Spec.Pool.Name, "-wrong") {
			invalid[*slice.Spec.NodeName] = slice.Spec.Pool.Name
		}
	}
	s.Objects.Slices = slices.DeleteFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool {
		first, ok := invalid[ptr.Deref(slice.Spec.NodeName, "")]
		return ok && slice.Spec.Pool.Name >= first
	})
}

// ignoresPools removes the pools whose names have this suffix.
func ignoresPools(suffix string) func(*fakecluster.Scene) {
	return func(s *fakecluster.Scene) {
		s.Objects.Slices = slices.DeleteFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool {
			return strings.HasSuffix(slice.Spec.Pool.Name, suffix)
		})
	}
}

// mixesGenerations makes slices with counters a part of the newest generation
// of their pool.
func mixesGenerations(s *fakecluster.Scene) {
	newest := map[string]int64{}
	for _, slice := range s.Objects.Slices {
		newest[slice.Spec.Pool.Name] = max(newest[slice.Spec.Pool.Name], slice.Spec.Pool.Generation)
	}
	count := map[string]int64{}
	for _, slice := range s.Objects.Slices {
		pool := &slice.Spec.Pool
		if len(slice.Spec.SharedCounters) > 0 {
			pool.Generation = newest[pool.Name]
		}
		if pool.Generation == newest[pool.Name] {
			count[pool.Name]++
		}
	}
	for _, slice := range s.Objects.Slices {
		slice.Spec.Pool.ResourceSliceCount = count[slice.Spec.Pool.Name]
	}
}
