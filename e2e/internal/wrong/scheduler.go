// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// ForEachDevice calls a function for each device, and the spec of its
// ResourceSlice.
func ForEachDevice(s *fakecluster.Scene, do func(*resourceapi.ResourceSliceSpec, *resourceapi.Device)) {
	for _, slice := range s.Objects.Slices {
		for i := range slice.Spec.Devices {
			do(&slice.Spec, &slice.Spec.Devices[i])
		}
	}
}

// DeviceID tells a device from those of the same name in other pools and of other drivers.
func DeviceID(slice *resourceapi.ResourceSliceSpec, device *resourceapi.Device) string {
	return slice.Driver + "/" + slice.Pool.Name + "/" + device.Name
}

// CountAllocations returns the number of allocation results for a device.
func CountAllocations(s *fakecluster.Scene, device string) int64 {
	var n int64
	for _, claim := range s.Objects.Claims {
		for _, result := range claim.Status.Allocation.Devices.Results {
			if result.Device == device {
				n++
			}
		}
	}
	return n
}

// IgnoreCounters makes the scheduler ignore the consumption of counters whose
// names have this prefix.
func IgnoreCounters(prefix string) func(*fakecluster.Scene) {
	return func(s *fakecluster.Scene) {
		ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
			for _, consumption := range device.ConsumesCounters {
				maps.DeleteFunc(consumption.Counters, func(name string, _ resourceapi.Counter) bool { return strings.HasPrefix(name, prefix) })
			}
		})
	}
}

// KeepReleasedClaims makes the scheduler see deallocated and deleted claims as
// allocated.
func KeepReleasedClaims() func(*fakecluster.Scene) {
	seen := map[types.UID]*resourceapi.ResourceClaim{}
	return func(s *fakecluster.Scene) {
		for _, claim := range s.Objects.Claims {
			seen[claim.UID] = claim
		}
		s.Objects.Claims = slices.Collect(maps.Values(seen))
	}
}

// KeepClaimsUntilDeleted makes the scheduler see deallocated claims as
// allocated until they are deleted.
func KeepClaimsUntilDeleted() func(*fakecluster.Scene) {
	seen := map[types.UID]*resourceapi.ResourceClaim{}
	return func(s *fakecluster.Scene) {
		for _, claim := range s.Objects.Claims {
			seen[claim.UID] = claim
		}
		for _, claim := range s.Unallocated {
			if before := seen[claim.UID]; before != nil {
				s.Objects.Claims = append(s.Objects.Claims, before)
			}
		}
	}
}

// MixUpPools makes the scheduler see allocated devices in the pool of the first
// candidate node instead of their own pool.
func MixUpPools(s *fakecluster.Scene) {
	for _, claim := range s.Objects.Claims {
		for i := range claim.Status.Allocation.Devices.Results {
			claim.Status.Allocation.Devices.Results[i].Pool = s.Nodes[0].Name
		}
	}
}

// ForgetHolders makes the scheduler forget all allocations of devices whose pool had no slice
// at some time.
func ForgetHolders() func(*fakecluster.Scene) {
	lost := map[string]bool{}
	return func(s *fakecluster.Scene) {
		s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(claim *resourceapi.ResourceClaim) bool {
			pool := claim.Status.Allocation.Devices.Results[0].Pool
			if !slices.ContainsFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool { return slice.Spec.Pool.Name == pool }) {
				lost[string(claim.UID)] = true
			}
			return lost[string(claim.UID)]
		})
	}
}
