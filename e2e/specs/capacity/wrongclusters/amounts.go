// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongAmounts are clusters with faults of the capacity that shares consume together.
var wrongAmounts = wrong.Table{
	"scheduler checks each claim of a pod by itself": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Claims) > 1 {
				doubleSlots(s)
			}
		}),
		Spec: "shared-device-claims-of-one-pod",
		Want: []string{"pod one should be unschedulable, because its claims need two slots of a device with one", "claim one-0 was allocated"},
	},
	"scheduler ignores capacity of alternatives": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Requests[0].FirstAvailable {
				c.Requests[0].FirstAvailable[i].Capacity = nil
			}
		}),
		Spec: "shared-device-as-alternative",
		Want: []string{"the capacity that claim first consumes of device nic"},
	},
	"scheduler forgets the last capacity of shares": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				for _, result := range claim.Status.Allocation.Devices.Results {
					delete(result.ConsumedCapacity, "units3")
				}
			}
		}), Spec: "shared-device-each-of-several-capacities",
		Want: []string{"pod late-3 should be unschedulable, because nothing is left of one of the capacities of their devices"},
	},
	"scheduler charges what other claims request": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				requested := claim.Spec.Devices.Requests[0].Exactly.Capacity
				for _, result := range claim.Status.Allocation.Devices.Results {
					if requested != nil && result.ConsumedCapacity != nil {
						maps.Copy(result.ConsumedCapacity, requested.Requests)
					}
				}
			}
		}), Spec: "shared-device-rounded-amounts-add-up",
		Want: []string{"pod late should be unschedulable, because five claims consume 8Gi of 40Gi each, although they request 5Gi"},
	},
	"scheduler rounds amounts when it has chosen devices": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name != "six-requests" {
				return
			}
			wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
				if c, ok := d.Capacity["memory"]; ok && d.Name == "steps" {
					c.RequestPolicy = nil
					d.Capacity["memory"] = c
				}
			})
		}), Spec: "shared-device-rounded-amounts-add-up",
		Want: []string{"pod six-requests should be unschedulable, because six shares of 9Gi would consume 11Gi of 60Gi each"},
	},
	"scheduler allocates all devices regardless of their capacity": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "late" {
				doubleSlots(s)
			}
		}), Spec: "shared-device-all-devices",
		Want: []string{"pod late should stay pending, because the slots of both devices are in use"},
	},
	"scheduler allocates one of all shared devices": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == "right" })
			}
		}), Spec: "shared-device-all-devices",
		Want: []string{"claim user-0 should have a share of both devices"},
	},
	"scheduler ignores the capacity of requests for all devices": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Requests[0].Exactly.Capacity = nil }),
		Spec:    "shared-device-all-with-capacity",
		Want:    []string{"the share of device exclusive that claim first has should have an id"},
	},
	"scheduler allocates all devices with an amount that is in use": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "late" {
				doubleSlots(s)
			}
		}), Spec: "shared-device-all-with-capacity",
		Want: []string{"pod late should stay pending, because the slots of both devices are in use"},
	},
	"scheduler takes back no shares for other claims": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "claims-one" {
				s.Objects.Slices = nil
			}
		}), Spec: "shared-devices-are-searched-to-the-end",
		Want: []string{"pod claims-one is not scheduled"},
	},
	"scheduler leaves the last share of a device in a long search": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
				if slots := device.Capacity["slots"]; s.Pod.Name == "nested" && device.Name == "two" {
					slots.Value = resource.MustParse("1")
					device.Capacity["slots"] = slots
				}
			})
		}), Spec: "shared-devices-are-searched-to-the-end",
		Want: []string{"pod nested is not scheduled"},
	},
	"scheduler adds up the first shares only": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "five-requests" {
				doubleSlots(s)
			}
		}), Spec: "shared-device-requests-add-up",
		Want: []string{"pod five-requests should be unschedulable, because together they need one slot more than the device has"},
	},
	"scheduler adds up the shares of a claim only": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "five-claims" {
				doubleSlots(s)
			}
		}), Spec: "shared-device-requests-add-up",
		Want: []string{"pod five-claims should be unschedulable, because together they need one slot more than the device has"},
	},
}

// doubleSlots doubles the slots of all devices.
func doubleSlots(s *fakecluster.Scene) {
	wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
		slots := device.Capacity["slots"]
		slots.Value.Add(slots.Value)
		device.Capacity["slots"] = slots
	})
}
