// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongCounts are clusters with faults of the number of devices that subrequests get.
var wrongCounts = wrong.Table{
	"scheduler allocates one device instead of all": {
		Options: misreadsAlternatives(func(all []resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest {
			for i := range all {
				all[i].AllocationMode, all[i].Count = resourceapi.DeviceAllocationModeExactCount, 1
			}
			return all
		}),
		Spec: "prioritized-list-takes-all-devices",
		Want: []string{"the devices of claim free should be for [list/card list/card], because both cards are free"},
	},
	"scheduler allocates all free devices": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				var left []resourceapi.Device
				for _, device := range slice.Spec.Devices {
					if wrong.CountAllocations(s, device.Name) == 0 {
						left = append(left, device)
					}
				}
				slice.Spec.Devices = left
			}
		}),
		Spec: "prioritized-list-takes-all-devices",
		Want: []string{"the devices of claim late should be for [list/disk], because claim holder has one of the cards", "list/card"},
	},
	"scheduler allocates as many of all devices as fit": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == "lane-0" })
			}
		}),
		Spec: "prioritized-list-takes-all-devices",
		Want: []string{"the devices of claim beyond should be for [list/disk], because there are more lanes than an allocation can have", "list/lane"},
	},
	"scheduler does not pass over all devices beyond the limit": {
		Options: misreadsAlternatives(func(all []resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest {
			if len(all) > 0 && all[0].Name == "lane" {
				return all[:1]
			}
			return all
		}),
		Spec: "prioritized-list-takes-all-devices",
		Want: []string{"while waiting until pod beyond is scheduled"},
	},
	"scheduler fails for alternatives beyond the limit": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			if c.Requests[0].FirstAvailable[0].Count == 2 {
				c.Requests[1].FirstAvailable = c.Requests[1].FirstAvailable[:1]
			}
		}),
		Spec: "prioritized-list-keeps-to-limit-of-results",
		Want: []string{"while waiting until pod beyond is scheduled"},
	},
	"scheduler fails for alternatives beyond the limit in a long search": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			last := &c.Requests[len(c.Requests)-1]
			last.FirstAvailable = last.FirstAvailable[:1]
		}),
		Spec: "prioritized-list-limit-in-a-long-search",
		Want: []string{"while waiting until pod beyond is scheduled"},
	},
	"scheduler tolerates taints of all devices": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) { d.Taints = nil }),
		Spec:    "prioritized-list-tolerates-for-all-devices",
		Want:    []string{"the devices of claim intolerant should be for [list/disk]", "list/card"},
	},
	"scheduler ignores tolerations of alternatives for all devices": {
		Options: misreadsAlternatives(func(all []resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest {
			for i := range all {
				all[i].Tolerations = nil
			}
			return all
		}),
		Spec: "prioritized-list-tolerates-for-all-devices",
		Want: []string{"pod tolerant is scheduled"},
	},
	"scheduler skips no alternative for a huge number of devices": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i, list := range c.Requests {
				if len(list.FirstAvailable) > 0 {
					c.Requests[i].FirstAvailable = list.FirstAvailable[:1]
				}
			}
		}),
		Spec: "prioritized-list-skips-huge-counts",
		Want: []string{"while waiting until pod before is scheduled"},
	},
	"scheduler takes a huge number of devices for one": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Requests {
				if exactly := c.Requests[i].Exactly; exactly != nil {
					exactly.Count = 1
				}
			}
		}),
		Spec: "prioritized-list-skips-huge-counts",
		Want: []string{"pods huge-2, huge-3 should stay pending, because there are three cards", "claim huge-2 was allocated"},
	},
	"scheduler looks for all devices of the first alternative only": {
		Options: misreadsAlternatives(func(all []resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest { return all[:min(1, len(all))] }),
		Spec:    "prioritized-list-of-all-devices",
		Want:    []string{"while waiting until pod port is scheduled"},
	},
	"scheduler has a lower limit": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			c.Requests[1].FirstAvailable = c.Requests[1].FirstAvailable[1:]
		}),
		Spec: "prioritized-list-keeps-to-limit-of-results",
		Want: []string{"the devices of claim within should be for", "because an allocation has room for both", "list/disk"},
	},
	"scheduler keeps the counters of all devices that it has tried": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				for i := range slice.Spec.SharedCounters {
					if units := slice.Spec.SharedCounters[i].Counters["units"]; units.Value.CmpInt64(3) == 0 {
						slice.Spec.SharedCounters[i].Counters["units"] = resourceapi.Counter{Value: resource.MustParse("1")}
					}
				}
			}
		}),
		Spec: "prioritized-list-of-all-partitions", Want: []string{"pod pod-1 is not scheduled"},
	},
	"scheduler ignores the counters of all devices": {
		Options: wrong.Misreads(wrong.IgnoreCounters("units")), Spec: "prioritized-list-of-all-partitions",
		Want: []string{"pod-1", "counter units"},
	},
}
