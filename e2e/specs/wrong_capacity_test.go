package specs_test

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// wrongCapacity are clusters with faults of shared devices.
var wrongCapacity = map[string]mistake{
	"scheduler takes shared devices for others": {
		cluster: misreadsDevices(func(d *resourceapi.Device) { d.AllowMultipleAllocations = nil }),
		spec:    "shared-device-serves-claims-and-requests",
		want:    []string{"while waiting until pod first is scheduled"},
	},
	"scheduler gives shares no ids": {
		cluster: miswritesResults(func(r *resourceapi.DeviceRequestAllocationResult) { r.ShareID = nil }),
		spec:    "shared-device-serves-claims-and-requests",
		want:    []string{"the share of device nic that claim first has should have an id"},
	},
	"scheduler gives all shares one id": {
		cluster: miswritesResults(func(r *resourceapi.DeviceRequestAllocationResult) {
			r.ShareID = ptr.To(types.UID("6d4dd9ab-9b3c-4b4e-8a0e-111111111111"))
		}),
		spec: "shared-device-serves-claims-and-requests",
		want: []string{"share 6d4dd9ab-9b3c-4b4e-8a0e-111111111111 of device", "is allocated 3 times"},
	},
	"scheduler serves a claim once from a device": {
		cluster: misreadsClaims(func(c *resourceapi.DeviceClaim) {
			c.Constraints = []resourceapi.DeviceConstraint{{DistinctAttribute: ptr.To(resourceapi.FullyQualifiedName("draconform-test-1.draconform.dev/name"))}}
		}),
		spec: "shared-device-serves-claims-and-requests",
		want: []string{"while waiting until pod second is scheduled", "cannot allocate all claims"},
	},
	"scheduler does not round to valid values": {
		cluster: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) { p.ValidValues = nil }),
		spec:    "shared-device-consumes-by-policy",
		want:    []string{"what claim smallest-value consumes of device values", `"1Gi"`, `"2Gi"`},
	},
	"scheduler does not round to steps": {
		cluster: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			if p.ValidRange != nil {
				p.ValidRange.Step = nil
			}
		}),
		spec: "shared-device-consumes-by-policy",
		want: []string{"what claim next-step consumes of device steps", `"3Gi"`, `"5Gi"`},
	},
	"scheduler does not raise to the minimum": {
		cluster: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			if p.ValidRange != nil && p.ValidRange.Step == nil {
				p.ValidRange.Min = ptr.To(resource.MustParse("0"))
			}
		}),
		spec: "shared-device-consumes-by-policy",
		want: []string{"what claim raised-to-minimum consumes of device floor", `"1Gi"`, `"2Gi"`},
	},
	"scheduler has defaults of its own": {
		cluster: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) { p.Default = ptr.To(resource.MustParse("1Mi")) }),
		spec:    "shared-device-consumes-by-policy",
		want:    []string{"what claim preset consumes of device preset", `"1Mi"`, `"2Gi"`},
	},
	"scheduler takes nothing of what has no policy": {
		cluster: misreadsDevices(func(d *resourceapi.Device) {
			for name, c := range d.Capacity {
				if c.RequestPolicy == nil {
					c.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse("0"))}
					d.Capacity[name] = c
				}
			}
		}),
		spec: "shared-device-without-policy",
		want: []string{"what claim all consumes of device plain", `"40Gi"`},
	},
	"scheduler does not state what is consumed": {
		cluster: miswritesResults(func(r *resourceapi.DeviceRequestAllocationResult) { r.ConsumedCapacity = nil }),
		spec:    "shared-device-consumes-by-policy",
		want:    []string{"what claim as-asked consumes of device plain"},
	},
	"scheduler ignores maxima": {
		cluster: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			if p.ValidRange != nil {
				p.ValidRange.Max = nil
			}
		}),
		spec: "shared-device-keeps-to-policy",
		want: []string{"should be refused, because their devices do not give what they ask for", "claim beyond-the-maximum was allocated"},
	},
	"scheduler ignores the largest valid value": {
		cluster: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			if p.ValidValues != nil {
				p.ValidValues = append(p.ValidValues, resource.MustParse("16Gi"))
			}
		}),
		spec: "shared-device-keeps-to-policy",
		want: []string{"should be refused, because their devices do not give what they ask for", "claim beyond-the-values was allocated"},
	},
	"scheduler ignores capacity that a device lacks": {
		cluster: misreadsClaims(func(c *resourceapi.DeviceClaim) {
			delete(c.Requests[0].Exactly.Capacity.Requests, "slots")
		}),
		spec: "shared-device-keeps-to-policy",
		want: []string{"should be refused, because their devices do not give what they ask for", "claim another-capacity was allocated"},
	},
	"scheduler does not see what claims consume": {
		cluster: misreads(func(s *fakecluster.Scene) { s.Objects.Claims = nil }),
		spec:    "shared-device-is-used-up-exactly",
		want:    []string{"no more pods should be scheduled than the device has enough for", "to have length 4"},
	},
	"scheduler does not return capacity": {
		cluster: misreads(neverForgets()),
		spec:    "shared-device-is-used-up-exactly",
		want:    []string{"4 pods should be scheduled, because the device has enough for them"},
	},
	"scheduler returns capacity when claims are deleted": {
		cluster: misreads(deletedOnly()),
		spec:    "shared-device-is-used-up-exactly",
		want:    []string{"4 pods should be scheduled, because the device has enough for them"},
	},
	"scheduler counts the claims of a pod one by one": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if len(s.Claims) > 1 {
				twice(s)
			}
		}),
		spec: "shared-device-claims-of-one-pod",
		want: []string{"pod one should be refused, because its claims need two slots of a device with one", "claim one-0 was allocated"},
	},
	"scheduler knows devices in use by their names": {
		cluster: misreads(mixUpPools),
		spec:    "shared-device-capacity-of-one-pool",
		want:    []string{"while waiting until pod elsewhere is scheduled"},
	},
	"scheduler tells devices apart and not their attributes": {
		cluster: misreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Constraints {
				*c.Constraints[i].DistinctAttribute = resourceapi.FullyQualifiedName(strings.Replace(string(*c.Constraints[i].DistinctAttribute), "/group", "/name", 1))
			}
		}),
		spec: "shared-device-distinct-values",
		want: []string{"pod groups should be refused, because two of the devices have the same group and the other one has none"},
	},
	"scheduler takes attributes that are missing for different ones": {
		cluster: misreadsDevices(func(d *resourceapi.Device) {
			if _, ok := d.Attributes["group"]; !ok {
				d.Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &d.Name}
			}
		}),
		spec: "shared-device-distinct-values",
		want: []string{"pod groups should be refused, because two of the devices have the same group and the other one has none"},
	},
	"scheduler sees one capacity of two": {
		cluster: misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				delete(claim.Status.Allocation.Devices.Results[0].ConsumedCapacity, "memory")
			}
		}),
		spec: "shared-device-every-capacity-counts",
		want: []string{"should be refused, because 2Gi of the memory and 7 slots are left", "claim too-much-memory was allocated"},
	},
	"scheduler ignores distinctAttribute": {
		cluster: misreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = nil }),
		spec:    "shared-device-distinct-attribute",
		want:    []string{"pod apart should be refused, because its three requests must get three devices, and there are two"},
	},
	"scheduler applies distinctAttribute to all requests": {
		cluster: misreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints[0].Requests = nil }),
		spec:    "shared-device-distinct-attribute",
		want:    []string{"while waiting until pod partly is scheduled", "cannot allocate all claims"},
	},
	"scheduler ignores matchAttribute of shares": {
		cluster: misreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = nil }),
		spec:    "shared-device-match-attribute",
		want:    []string{"the device that has two slots"},
	},
	"scheduler ignores capacity of devices that are not shared": {
		cluster: misreadsClaims(func(c *resourceapi.DeviceClaim) { c.Requests[0].Exactly.Capacity = nil }),
		spec:    "shared-device-told-from-others",
		want:    []string{"pod larger should be refused, because the only device that is not shared has 4Gi"},
	},
	"scheduler takes all devices for shared ones": {
		cluster: misreadsDevices(func(d *resourceapi.Device) { d.AllowMultipleAllocations = ptr.To(true) }),
		spec:    "shared-device-told-from-others",
		want:    []string{"while waiting until pod fits is scheduled"},
	},
	"scheduler states consumption of devices that are not shared": {
		cluster: miswritesResults(func(r *resourceapi.DeviceRequestAllocationResult) {
			r.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse("3Gi")}
		}),
		spec: "shared-device-told-from-others",
		want: []string{"a device that is not shared is allocated as a whole"},
	},
	"scheduler shares what was allocated as a whole": {
		cluster: misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				for i := range claim.Status.Allocation.Devices.Results {
					claim.Status.Allocation.Devices.Results[i].ShareID = ptr.To(types.UID("6d4dd9ab-9b3c-4b4e-8a0e-111111111111"))
				}
			}
		}),
		spec: "shared-device-stays-exclusive",
		want: []string{"pod after should be refused, because claim before has all of the device"},
	},
	"scheduler counts counters for each share": {
		cluster: misreads(func(s *fakecluster.Scene) {
			more := sharesIn(s, "shared")
			for _, slice := range s.Objects.Slices {
				for _, set := range slice.Spec.SharedCounters {
					left := set.Counters["memory"].Value
					left.Set(left.Value() - max(more-1, 0)<<30)
					set.Counters["memory"] = resourceapi.Counter{Value: left}
				}
			}
		}),
		spec: "shared-device-consumes-counters-once",
		want: []string{"while waiting until pod beside is scheduled"},
	},
	"scheduler returns counters with the first share": {
		cluster: misreads(func() func(*fakecluster.Scene) {
			var most int64
			return func(s *fakecluster.Scene) {
				most = max(most, sharesIn(s, "shared"))
				if most == 3 && sharesIn(s, "shared") < 3 {
					s.Objects.Claims = nil
				}
			}
		}()),
		spec: "shared-device-consumes-counters-once",
		want: []string{"pod half should be refused, because claim a still has a share of a partition with 3Gi of 4Gi"},
	},
	"scheduler ignores capacity of alternatives": {
		cluster: misreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Requests[0].FirstAvailable {
				c.Requests[0].FirstAvailable[i].Capacity = nil
			}
		}),
		spec: "shared-device-as-alternative",
		want: []string{"what claim first consumes of device nic"},
	},
	"API server takes the status of shares that nobody has": {
		cluster: makes(fakecluster.Mistakes{StoresAnyStatus: true}),
		spec:    "shared-device-status-of-each-share",
		want:    []string{"the API server should refuse the status of a share that nobody has"},
	},
	"API server mixes up the status of shares": {
		cluster: makes(fakecluster.Mistakes{MixesUpShares: true}),
		spec:    "shared-device-status-of-each-share",
		want:    []string{"each share should have the status that was written of it", "False of request down"},
	},
}
