// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"bytes"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/fakedriver/affinity"
)

// wrongValues are clusters with faults of entries and their values.
var wrongValues = wrong.Table{
	"scheduler ignores affinity": {
		Options: wrong.Misreads(declareNothing),
		Spec:    "affinity-other-values-get-another-device",
		Want:    []string{"claims with different values should not share a device"},
	},
	"scheduler ignores affinity of all devices": {
		Options: wrong.Misreads(declareNothing),
		Spec:    "affinity-of-all-devices",
		Want:    []string{"pod b should stay pending, because one of the devices is locked to another value"},
	},
	"scheduler treats claims without an entry as matching": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Claims[0].Spec.Devices.Config) == 0 {
				declareNothing(s)
			}
		}),
		Spec: "affinity-entry-decides",
		Want: []string{"pod no-entry should be unschedulable, because the claim has no entry"},
	},
	"scheduler merges equal entries": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			config := &s.Claims[0].Spec.Devices.Config
			*config = slices.CompactFunc(*config, func(a, b resourceapi.DeviceClaimConfiguration) bool {
				return bytes.Equal(a.Opaque.Parameters.Raw, b.Opaque.Parameters.Raw)
			})
		}),
		Spec: "affinity-entry-decides",
		Want: []string{"pod equal-entries should be unschedulable, because the claim has two entries, equal though they are"},
	},
	"scheduler accepts values that are no strings": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) { rewriteEntries(s.Claims, `{"int":1}`, `{"string":"1"}`) }),
		Spec:    "affinity-entry-decides",
		Want:    []string{"pod number should be unschedulable, because the value is a number"},
	},
	"scheduler accepts any version of the entry": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			rewriteEntries(s.Claims, `"resource.k8s.io/v1"`, `"resource.k8s.io/v1alpha1"`)
		}),
		Spec: "affinity-entry-decides",
		Want: []string{"pod another-version should be unschedulable, because the entry is of another apiVersion"},
	},
	"scheduler rejects keys that the device lacks": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			config := &s.Claims[0].Spec.Devices.Config
			*config = slices.DeleteFunc(*config, func(c resourceapi.DeviceClaimConfiguration) bool {
				return bytes.Contains(c.Opaque.Parameters.Raw, []byte("/vlan"))
			})
		}),
		Spec: "affinity-entry-decides",
		Want: []string{"pod extra-value is not scheduled"},
	},
	"scheduler drops configuration for drivers": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
			for i := range results {
				results[i].Devices.Config = slices.DeleteFunc(results[i].Devices.Config, func(c resourceapi.DeviceAllocationConfiguration) bool {
					return c.Opaque.Driver != affinity.EntryDriver
				})
			}
		}}),
		Spec: "affinity-entry-decides",
		Want: []string{"the allocation should have the configuration of the claim for drivers"},
	},
	"scheduler compares only the first key": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			rewriteEntries(slices.Concat(s.Claims, s.Objects.Claims), `(/pkey":{"string":")[^"]*`, "${1}any")
		}),
		Spec: "affinity-lock-decides",
		Want: []string{"pod other-second should be unschedulable, because the device is locked to another value for its second key"},
	},
	"scheduler infers values": {
		Options: wrong.Misreads(inferValues),
		Spec:    "affinity-lock-decides",
		Want:    []string{"pod unknown should be unschedulable, because the claim on the device states nothing"},
	},
	"scheduler demands values of all shared devices": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) { declareAll(s, "nic.draconform.dev/subnet") }),
		Spec:    "affinity-not-declared-shares",
		Want:    []string{"pod none-states-held-0 is not scheduled"},
	},
	"scheduler applies a claim's first entry to all requests": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if config := s.Claims[0].Spec.Devices.Config; len(config) > 0 {
				config[0].Requests = nil
				s.Claims[0].Spec.Devices.Config = config[:1]
			}
		}),
		Spec: "affinity-requests-apart",
		Want: []string{"pod two-same is not scheduled"},
	},
	"scheduler ignores entries that name no request": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			config := &s.Claims[0].Spec.Devices.Config
			*config = slices.DeleteFunc(*config, func(c resourceapi.DeviceClaimConfiguration) bool { return len(c.Requests) == 0 })
		}),
		Spec: "affinity-requests-apart",
		Want: []string{"pod all is not scheduled"},
	},
	"scheduler ignores entries for alternatives": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			config := &s.Claims[0].Spec.Devices.Config
			*config = slices.DeleteFunc(*config, func(c resourceapi.DeviceClaimConfiguration) bool {
				return slices.ContainsFunc(c.Requests, func(name string) bool { return strings.Contains(name, "/") })
			})
		}),
		Spec: "affinity-states-by-alternative",
		Want: []string{"pod each is not scheduled"},
	},
	"scheduler prefers entries for alternatives to those for their requests": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			config := &s.Claims[0].Spec.Devices.Config
			if len(*config) > 1 {
				*config = slices.DeleteFunc(*config, func(c resourceapi.DeviceClaimConfiguration) bool { return slices.Contains(c.Requests, "list") })
			}
		}),
		Spec: "affinity-states-by-alternative",
		Want: []string{"pod twice should be unschedulable", "one entry is for the slow one and one for its request"},
	},
	"scheduler keeps the first device that it tries for a request": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if strings.HasPrefix(s.Pod.Name, "needs-") {
				selectors := &s.Claims[0].Spec.Devices.Requests[0].Exactly.Selectors
				*selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: `device.attributes["draconform-test-1.draconform.dev"].name == "one"`}}}
			}
		}),
		Spec: "affinity-backtracking-unlocks",
		Want: []string{"pod needs-one is not scheduled"},
	},
	"scheduler leaves locks of unschedulable claims": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "other" {
				declareAll(s, "nic.draconform.dev/locked")
			}
		}),
		Spec: "affinity-backtracking-unlocks",
		Want: []string{"pod other is not scheduled"},
	},
	"scheduler checks each claim of a pod by itself": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "different" {
				rewriteEntries(s.Claims, `"b"`, `"a"`)
			}
		}),
		Spec: "affinity-claims-of-one-pod",
		Want: []string{"pod different should be unschedulable, because its claims state different values for the only device", "claim different-0 was allocated"},
	},
	"scheduler shares a device with one claim of a pod only": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "same" {
				rewriteEntries(s.Claims[:1], `"b"`, `"a"`)
			}
		}),
		Spec: "affinity-claims-of-one-pod",
		Want: []string{"pod same is not scheduled"},
	},
	"scheduler identifies locked devices without their drivers": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				all := &claim.Status.Allocation.Devices.Results
				for _, result := range *all {
					for _, slice := range s.Objects.Slices {
						if slice.Spec.Pool.Name == result.Pool && slice.Spec.Driver != result.Driver {
							result.Driver = slice.Spec.Driver
							*all = append(*all, result)
						}
					}
				}
			}
		}),
		Spec: "affinity-lock-of-one-pool", Want: []string{"pod of-other-driver is not scheduled"},
	},
	"scheduler identifies locked devices by their names": {
		Options: wrong.Misreads(wrong.MixUpPools),
		Spec:    "affinity-lock-of-one-pool",
		Want:    []string{"pod elsewhere is not scheduled"},
	},
	"scheduler treats empty values as missing": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) { rewriteEntries(s.Claims, `\{"string":""\}`, `{}`) }),
		Spec:    "affinity-entry-decides",
		Want:    []string{"pod empty-value is not scheduled"},
	},
	"scheduler does not compare the last of many keys": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			rewriteEntries(slices.Concat(s.Claims, s.Objects.Claims), `(/rail":\{"string":")[^"]*`, "${1}any")
		}),
		Spec: "affinity-lock-decides",
		Want: []string{"pod other-last should be unschedulable, because the device is locked to another value for the last of its keys"},
	},
	"scheduler locks pools": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				results := &claim.Status.Allocation.Devices.Results
				for _, device := range s.Objects.Slices[len(s.Objects.Slices)-1].Spec.Devices {
					other := (*results)[0]
					other.Device = device.Name
					*results = append(*results, other)
				}
			}
		}),
		Spec: "affinity-other-values-get-another-device",
		Want: []string{"pod b is not scheduled"},
	},
	"scheduler ignores capacity of locked devices": {
		Options: wrong.Misreads(enlarge),
		Spec:    "affinity-capacity-first",
		Want:    []string{"pod more should be unschedulable, because all slots of the device are taken"},
	},
	"scheduler allocates on the first node that fits": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if strings.HasPrefix(s.Pod.Name, "joins") {
				s.Nodes = s.Nodes[:1]
			}
		}),
		Spec: "affinity-locked-device-preferred",
		Want: []string{"claims that get the device that is locked to their value, although others are clean: 0 of 4 should be"},
	},
	"scheduler ignores claims that it has just allocated": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			enlarge(s)
			s.Objects.Claims = nil
		}),
		Spec: "affinity-one-of-competing-values-wins",
		Want: []string{"the pods with one of the values should be scheduled", "pods a-0 and b-0 state different values and are both scheduled"},
	},
	"scheduler unexpectedly supports sharing affinity": {
		Target: wrong.WithoutFeature(features.SharingAffinity), Spec: "affinity-is-ignored-without-feature",
		Want: []string{"while waiting until pod", "is scheduled", "cannot allocate all claims"},
	},
}
