// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongAllocations are clusters whose scheduler makes mistakes with requests for
// admin access.
var wrongAllocations = wrong.Table{
	"scheduler allocates only free devices": {
		Options: wrong.MisreadsClaims(refuse), Spec: "admin-access-gets-devices-in-use",
		Want: []string{"pod first-monitor is not scheduled"},
	},
	"one claim at a time has admin access": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if wrong.CountAllocations(s, "card") > 1 {
				refuseAll(s)
			}
		}),
		Spec: "admin-access-gets-devices-in-use", Want: []string{"pod second-monitor is not scheduled"},
	},
	"scheduler passes over devices in use": {
		Options: wrong.Misreads(hideAllocated), Spec: "admin-access-to-all-devices",
		Want: []string{"the devices of claim monitor should be for [device device device device device], because it requests admin access to all devices"},
	},
	"scheduler knows devices by their names": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name != "monitor" {
				return
			}
			seen := map[string]bool{}
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool {
					before := seen[d.Name]
					seen[d.Name] = true
					return before
				})
			}
		}),
		Spec: "admin-access-to-all-devices", Want: []string{"the devices of claim monitor should be for"},
	},
	"scheduler waits until all devices are free": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			if c.Requests[0].Exactly.AllocationMode == resourceapi.DeviceAllocationModeAll {
				refuse(c)
			}
		}),
		Spec: "admin-access-to-all-devices", Want: []string{"pod monitor is not scheduled"},
	},
	"all requests of a claim have admin access": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for _, request := range c.Requests {
				request.Exactly.AdminAccess = c.Requests[0].Exactly.AdminAccess
			}
		}),
		Spec: "admin-access-is-of-one-request", Want: []string{"pod refused should be unschedulable, because the device of its request without admin access is in use"},
	},
	"scheduler does not record admin access": {
		Options: miswrites("both", func(r *resourceapi.DeviceRequestAllocationResult) { r.AdminAccess = nil }), Spec: "admin-access-is-of-one-request",
		Want: []string{"card is allocated 2 times"},
	},
	"scheduler records admin access for all requests": {
		Options: miswrites("both", func(r *resourceapi.DeviceRequestAllocationResult) { r.AdminAccess = ptr.To(true) }), Spec: "admin-access-is-of-one-request",
		Want: []string{"the results of claim both should have adminAccess exactly if their requests have it"},
	},
	"scheduler allocates the same device twice": {
		Options: miswrites("two", func(r *resourceapi.DeviceRequestAllocationResult) { r.Device = "card-0" }),
		Spec:    "admin-access-gets-different-devices", Want: []string{"claim two should have admin access to two different devices"},
	},
	"scheduler does not take back devices for admin access": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			if c.Requests[0].Name == "any" {
				c.Requests[0].Exactly.Selectors = c.Requests[1].Exactly.Selectors
			}
		}),
		Spec: "admin-access-gets-different-devices", Want: []string{"pod any-and-card-0 is not scheduled"},
	},
	"scheduler allocates fewer devices": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			c.Requests[0].Exactly.Count = min(c.Requests[0].Exactly.Count, 2)
		}),
		Spec: "admin-access-gets-different-devices", Want: []string{"pod three should be unschedulable, because there are only two devices"},
	},
	"claims of a pod do not share devices for admin access": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Claims) > 1 {
				refuseAll(s)
			}
		}),
		Spec: "admin-access-within-a-pod", Want: []string{"pod same is not scheduled"},
	},
	"scheduler allocates the same device twice to the second claim": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
			if s.Pod.Name == "both" {
				results[1].Devices.Results[1].Device = results[1].Devices.Results[0].Device
			}
		}}),
		Spec: "admin-access-within-a-pod", Want: []string{"claim both-1 should have admin access to two different devices"},
	},
	"scheduler ignores the configuration of the class for admin access": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, class := range s.Objects.Classes {
				class.Spec.Config = nil
			}
		}),
		Spec: "admin-access-keeps-to-selectors", Want: []string{"should have the configuration of the class of its request"},
	},
	"scheduler ignores taints for admin access to all devices": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Claims[0].Spec.Devices.Requests[0].Exactly.AllocationMode == resourceapi.DeviceAllocationModeAll {
				wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) { d.Taints = nil })
			}
		}),
		Spec: "admin-access-keeps-to-taints", Want: []string{"pod all-intolerant should be unschedulable, because one of all devices has a taint that its claim does not tolerate"},
	},
	"scheduler ignores DeviceClasses": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, class := range s.Objects.Classes {
				class.Spec.Selectors = nil
			}
		}),
		Spec: "admin-access-keeps-to-selectors", Want: []string{"the device of claim any should be of the class of the request"},
	},
	"scheduler ignores selectors": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Requests[0].Exactly.Selectors = nil }), Spec: "admin-access-keeps-to-selectors",
		Want: []string{"pod other should be unschedulable, because no device of the class meets its selector"},
	},
	"scheduler ignores taints for admin access": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) { d.Taints = nil }), Spec: "admin-access-keeps-to-taints",
		Want: []string{"pod intolerant should be unschedulable, because its device has a taint that its claim does not tolerate"},
	},
	"scheduler ignores tolerations for admin access": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Requests[0].Exactly.Tolerations = nil }), Spec: "admin-access-keeps-to-taints",
		Want: []string{"pod tolerant is not scheduled"},
	},
	"scheduler ignores constraints for admin access": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = nil }), Spec: "admin-access-keeps-to-constraints",
		Want: []string{"pod monitor-unlike should be unschedulable, because the devices of its requests have different groups"},
	},
}

// refuseAll makes the requests of all claims of the pod ordinary ones.
func refuseAll(s *fakecluster.Scene) {
	for _, claim := range s.Claims {
		refuse(&claim.Spec.Devices)
	}
}

// hideAllocated makes the scheduler see no devices that are allocated.
func hideAllocated(s *fakecluster.Scene) {
	for _, slice := range s.Objects.Slices {
		slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return wrong.CountAllocations(s, d.Name) > 0 })
	}
}

// miswrites returns the options of a cluster whose scheduler changes the results of
// the claim of a pod.
func miswrites(pod string, change func(*resourceapi.DeviceRequestAllocationResult)) fakecluster.Options {
	return wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
		if s.Pod.Name != pod {
			return
		}
		for i := range results[0].Devices.Results {
			change(&results[0].Devices.Results[i])
		}
	}})
}
