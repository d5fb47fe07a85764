// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongPolicies are clusters with faults of capacity, its policies, and the
// status of shares.
var wrongPolicies = wrong.Table{
	"scheduler does not round to valid values": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) { p.ValidValues = nil }),
		Spec:    "shared-device-consumes-by-policy",
		Want:    []string{"the capacity that claim smallest-value consumes of device values", `"1Gi"`, `"2Gi"`},
	},
	"scheduler compares valid values as text": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			p.ValidValues = slices.DeleteFunc(p.ValidValues, func(q resource.Quantity) bool { return q.String() == "4Gi" })
		}),
		Spec: "shared-device-consumes-by-policy", Want: []string{"the capacity that claim value-without-unit consumes of device values", `"4Gi"`, `"8Gi"`},
	},
	"scheduler does not round to steps": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			if p.ValidRange != nil {
				p.ValidRange.Step = nil
			}
		}),
		Spec: "shared-device-consumes-by-policy",
		Want: []string{"the capacity that claim next-step consumes of device steps", `"3Gi"`, `"5Gi"`},
	},
	"scheduler adds to the defaults of policies": {
		Options: addsToDefaults(), Spec: "shared-device-long-amounts-add-up",
		Want: []string{"pod second is not scheduled"},
	},
	"scheduler consumes whole units": {
		Options: miswritesResults(func(r *resourceapi.DeviceRequestAllocationResult) {
			for name, amount := range r.ConsumedCapacity {
				r.ConsumedCapacity[name] = *resource.NewQuantity(amount.Value(), amount.Format)
			}
		}),
		Spec: "shared-device-amounts-are-exact",
		Want: []string{"claim first should consume the thousandths that it requests"},
	},
	"scheduler ignores fractions of consumed capacity": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				for _, result := range claim.Status.Allocation.Devices.Results {
					for name, amount := range result.ConsumedCapacity {
						result.ConsumedCapacity[name] = *resource.NewQuantity(amount.MilliValue()/1000, amount.Format)
					}
				}
			}
		}),
		Spec: "shared-device-amounts-are-exact",
		Want: []string{"pod too-much should be unschedulable, because only 200m of the capacity are left"},
	},
	"scheduler does not raise to the minimum": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			if p.ValidRange != nil && p.ValidRange.Step == nil {
				p.ValidRange.Min = ptr.To(resource.MustParse("0"))
			}
		}),
		Spec: "shared-device-consumes-by-policy",
		Want: []string{"the capacity that claim raised-to-minimum consumes of device floor", `"1Gi"`, `"2Gi"`},
	},
	"scheduler ignores the defaults of policies": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) { p.Default = ptr.To(resource.MustParse("1Mi")) }),
		Spec:    "shared-device-consumes-by-policy",
		Want:    []string{"the capacity that claim preset consumes of device preset", `"1Mi"`, `"2Gi"`},
	},
	"scheduler consumes nothing of a capacity without policy": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			for name, c := range d.Capacity {
				if c.RequestPolicy == nil {
					c.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse("0"))}
					d.Capacity[name] = c
				}
			}
		}),
		Spec: "shared-device-without-policy",
		Want: []string{"the capacity that claim all consumes of device plain", `"40Gi"`},
	},
	"scheduler does not store consumed capacity": {
		Options: miswritesResults(func(r *resourceapi.DeviceRequestAllocationResult) { r.ConsumedCapacity = nil }),
		Spec:    "shared-device-consumes-by-policy",
		Want:    []string{"the capacity that claim as-asked consumes of device plain"},
	},
	"scheduler ignores maxima": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			if p.ValidRange != nil {
				p.ValidRange.Max = nil
			}
		}),
		Spec: "shared-device-keeps-to-policy",
		Want: []string{"should be unschedulable, because their devices do not have the requested capacity", "claim beyond-the-maximum was allocated"},
	},
	"scheduler ignores the largest valid value": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			if p.ValidValues != nil {
				p.ValidValues = append(p.ValidValues, resource.MustParse("16Gi"))
			}
		}),
		Spec: "shared-device-keeps-to-policy",
		Want: []string{"should be unschedulable, because their devices do not have the requested capacity", "claim beyond-the-values was allocated"},
	},
	"scheduler ignores capacity that a device lacks": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			delete(c.Requests[0].Exactly.Capacity.Requests, "slots")
		}),
		Spec: "shared-device-keeps-to-policy",
		Want: []string{"should be unschedulable, because their devices do not have the requested capacity", "claim another-capacity was allocated"},
	},
	"scheduler ignores maxima of ranges without steps": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			if p.ValidRange != nil && p.ValidRange.Step == nil {
				p.ValidRange.Max = nil
			}
		}),
		Spec: "shared-device-keeps-to-policy",
		Want: []string{"should be unschedulable, because their devices do not have the requested capacity", "claim beyond-the-ceiling was allocated"},
	},
	"scheduler ignores capacity that only other devices have": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if len(d.Capacity) == 0 {
				d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("40Gi")}}
			}
		}),
		Spec: "shared-device-keeps-to-policy",
		Want: []string{"should be unschedulable, because their devices do not have the requested capacity", "claim capacity-of-bare was allocated"},
	},
	"scheduler consumes nothing of capacities that are not requested": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if d.Name == "unruled" {
				slots := d.Capacity["slots"]
				slots.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse("0"))}
				d.Capacity["slots"] = slots
			}
		}),
		Spec: "shared-device-without-policy",
		Want: []string{"the capacity that claim all-slots consumes of device unruled", `"16"`},
	},
	"scheduler ignores the consumption of claims": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) { s.Objects.Claims = nil }),
		Spec:    "shared-device-is-used-up-exactly",
		Want:    []string{"no more pods should be scheduled than the device has enough for", "to have length 4"},
	},
	"scheduler does not return capacity": {
		Options: wrong.Misreads(wrong.KeepReleasedClaims()),
		Spec:    "shared-device-is-used-up-exactly",
		Want:    []string{"4 pods should be scheduled, because the device has enough for them"},
	},
	"scheduler returns capacity when claims are deleted": {
		Options: wrong.Misreads(wrong.KeepClaimsUntilDeleted()),
		Spec:    "shared-device-is-used-up-exactly",
		Want:    []string{"4 pods should be scheduled, because the device has enough for them"},
	},
	"scheduler sees one capacity of two": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				delete(claim.Status.Allocation.Devices.Results[0].ConsumedCapacity, "memory")
			}
		}),
		Spec: "shared-device-every-capacity-counts",
		Want: []string{"should be unschedulable, because 2Gi of the memory and 7 slots are left", "claim too-much-memory was allocated"},
	},
	"scheduler ignores capacity of devices that are not shared": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Requests[0].Exactly.Capacity = nil }),
		Spec:    "shared-device-told-from-others",
		Want:    []string{"should be unschedulable, because the only device that is not shared has 4Gi", "claim larger was allocated"},
	},
	"scheduler compares the last capacity of devices that are not shared": {
		Options: misreadsAmounts("memory"), Spec: "shared-device-told-from-others",
		Want: []string{"should be unschedulable, because the only device that is not shared has 4Gi", "claim larger was allocated"},
	},
	"scheduler compares the first capacity of devices that are not shared": {
		Options: misreadsAmounts("slots"), Spec: "shared-device-told-from-others",
		Want: []string{"should be unschedulable, because the only device that is not shared has 4Gi", "claim more-slots was allocated"},
	},
	"scheduler treats all devices as shared": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) { d.AllowMultipleAllocations = ptr.To(true) }),
		Spec:    "shared-device-told-from-others",
		Want:    []string{"while waiting until pod fits is scheduled"},
	},
	"scheduler stores consumed capacity of devices that are not shared": {
		Options: miswritesResults(func(r *resourceapi.DeviceRequestAllocationResult) {
			r.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse("3Gi")}
		}),
		Spec: "shared-device-told-from-others",
		Want: []string{"a device that is not shared is allocated as a whole"},
	},
	"scheduler takes requests for nothing as none": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Requests {
				if of := c.Requests[i].Exactly.Capacity; of != nil {
					maps.DeleteFunc(of.Requests, func(_ resourceapi.QualifiedName, q resource.Quantity) bool { return q.IsZero() })
				}
			}
		}), Spec: "shared-device-consumes-by-policy",
		Want: []string{"pod nothing is not scheduled"},
	},
}

// misreadsPolicies returns a cluster whose scheduler sees changed request
// policies of the capacity memory.
func misreadsPolicies(change func(*resourceapi.CapacityRequestPolicy)) fakecluster.Options {
	return wrong.MisreadsDevices(func(d *resourceapi.Device) {
		if policy := d.Capacity["memory"].RequestPolicy; policy != nil {
			change(policy)
		}
	})
}

// addsToDefaults returns a cluster whose scheduler adds what the first claims of a device
// consume to the default that it has stored.
func addsToDefaults() fakecluster.Options {
	return wrong.Misreads(func(s *fakecluster.Scene) {
		if wrong.CountAllocations(s, "nic") == 0 {
			return
		}
		wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
			if policy := d.Capacity["rate"].RequestPolicy; policy != nil {
				policy.Default.Add(policy.Default.DeepCopy())
			}
		})
	})
}

// misreadsAmounts returns a cluster whose scheduler does not see the requested amounts
// of a capacity.
func misreadsAmounts(capacity resourceapi.QualifiedName) fakecluster.Options {
	return wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { delete(c.Requests[0].Exactly.Capacity.Requests, capacity) })
}
