// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"math"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongCombinations are clusters with faults of shares in combination with counts, requests
// for all devices, counters, alternatives and large slices.
var wrongCombinations = wrong.Table{
	"scheduler ignores distinctAttribute of alternatives": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = nil }),
		Spec:    "distinct-values-of-alternatives",
		Want:    []string{"the devices of claim apart-0 should be for [first/x second/y], because its devices must be of different groups"},
	},
	"scheduler applies distinctAttribute to all alternatives": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints[0].Requests = nil }),
		Spec:    "distinct-values-of-alternatives",
		Want:    []string{"the devices of claim partly should be for [first/x second/x], because the constraint does not name the subrequest that it prefers"},
	},
	"scheduler takes all constraints of a claim for ones of the same kind": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Constraints {
				if one := &c.Constraints[i]; i > 0 && one.MatchAttribute != nil {
					one.MatchAttribute, one.DistinctAttribute = nil, one.MatchAttribute
				}
			}
		}),
		Spec: "distinct-values-and-equal-values", Want: []string{"pod fits-too is not scheduled"},
	},
	"scheduler keeps the distinct values of devices that it does not take": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
				if s.Pod.Name == "yields" && d.Name == "yields-1" {
					delete(d.Attributes, "group")
				}
			})
		}),
		Spec: "distinct-values-and-equal-values", Want: []string{"pod yields is not scheduled"},
	},
	"scheduler forgets consumed capacity when it restarts": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				for i := range claim.Status.Allocation.Devices.Results {
					if s.Restarts > 0 {
						claim.Status.Allocation.Devices.Results[i].ConsumedCapacity = nil
					}
				}
			}
		}),
		Spec: "shares-outlive-scheduler-restart",
		Want: []string{"pod too-much should be unschedulable, because a claim has six of eight slots since before the restart"},
	},
	"scheduler ignores distinctAttribute of all devices": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = nil }),
		Spec:    "distinct-values-of-all-devices",
		Want:    []string{"pod alike should stay pending, because the devices of its node have the same group"},
	},
	"scheduler ignores distinctAttribute of several devices of a request": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = nil }),
		Spec:    "distinct-values-of-each-device",
		Want:    []string{"pod three-twins should be unschedulable, because two of the three devices have the same group"},
	},
	"scheduler takes devices of a request for the same one": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			if c.Requests[0].Exactly.Count == 3 {
				c.Requests[0].Exactly.Count = 100
			}
		}),
		Spec: "distinct-values-of-each-device",
		Want: []string{"pod three-unlike is not scheduled"},
	},
	"scheduler takes huge amounts for small ones": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			amounts := c.Requests[0].Exactly.Capacity.Requests
			if amount := amounts["memory"]; amount.CmpInt64(math.MaxInt64) == 0 {
				amounts["memory"] = resource.MustParse("2Gi")
			}
		}),
		Spec: "shared-device-lacks-huge-amounts",
		Want: []string{"should stay pending, because each of the devices has 40Gi", "claim huge-steps was allocated"},
	},
	"scheduler compares alternatives with a device that is used up": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			if list := c.Requests[0].FirstAvailable; len(list) > 0 {
				c.Requests[0].FirstAvailable = list[:1]
			}
		}),
		Spec: "shared-device-used-up-constrains-nothing",
		Want: []string{"while waiting until pod pod is scheduled"},
	},
	"the first share of a request consumes capacity": {
		Options: miswritesResults(func() func(*resourceapi.DeviceRequestAllocationResult) {
			n := 0
			return func(r *resourceapi.DeviceRequestAllocationResult) {
				if n++; n%2 == 0 {
					r.ConsumedCapacity = nil
				}
			}
		}()),
		Spec: "shared-device-count-consumes-each",
		Want: []string{"the slots that claim first consumes of device"},
	},
	"shares of a request for all devices consume no counters": {
		Options: wrong.Misreads(wrong.IgnoreCounters("")),
		Spec:    "shared-device-all-with-counters",
		Want:    []string{"pod in-vain should stay pending, because the shared partition and the half need more than their parent has"},
	},
	"scheduler forgets shares that consume more than there is": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
				if c, ok := d.Capacity["slots"]; ok && c.Value.CmpInt64(6) < 0 {
					s.Objects.Claims = nil
				}
			})
		}),
		Spec: "shared-device-shrinks-under-shares",
		Want: []string{"pod one should be unschedulable, because claim six consumes more than the four slots of its device"},
	},
	"scheduler forgets the shares of devices whose slices are deleted": {
		Options: wrong.Misreads(wrong.ForgetHolders()), Spec: "shared-device-shrinks-under-shares",
		Want: []string{"should be unschedulable, because the claims six and one consume the seven slots of their device since before its slice was deleted"},
	},
	"scheduler does not share devices beyond the 64th": {
		Options: misreadsPositions(func(i int, d *resourceapi.Device) {
			if i >= 64 {
				d.AllowMultipleAllocations = nil
			}
		}),
		Spec: "shared-device-in-a-large-slice",
		Want: []string{"the share of device shared-0 that claim first-0-a has should have an id"},
	},
	"scheduler shares all devices beyond the 64th": {
		Options: misreadsPositions(func(i int, d *resourceapi.Device) {
			if i >= 64 {
				d.AllowMultipleAllocations = ptr.To(true)
			}
		}),
		Spec: "shared-device-in-a-large-slice",
		Want: []string{"the device of claim second-0, which is not shared, has no shares"},
	},
}

// misreadsPositions returns the options of a cluster whose scheduler sees changed devices,
// given their position in their slice.
func misreadsPositions(change func(position int, device *resourceapi.Device)) fakecluster.Options {
	return wrong.Misreads(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			for i := range slice.Spec.Devices {
				change(i, &slice.Spec.Devices[i])
			}
		}
	})
}
