package capacity_test

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongPolicies are clusters with faults of capacity, its policies, and the
// status of shares.
var wrongPolicies = wrong.Table{
	"scheduler does not round to valid values": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) { p.ValidValues = nil }),
		Spec:    "shared-device-consumes-by-policy",
		Want:    []string{"what claim smallest-value consumes of device values", `"1Gi"`, `"2Gi"`},
	},
	"scheduler does not round to steps": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			if p.ValidRange != nil {
				p.ValidRange.Step = nil
			}
		}),
		Spec: "shared-device-consumes-by-policy",
		Want: []string{"what claim next-step consumes of device steps", `"3Gi"`, `"5Gi"`},
	},
	"scheduler does not raise to the minimum": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			if p.ValidRange != nil && p.ValidRange.Step == nil {
				p.ValidRange.Min = ptr.To(resource.MustParse("0"))
			}
		}),
		Spec: "shared-device-consumes-by-policy",
		Want: []string{"what claim raised-to-minimum consumes of device floor", `"1Gi"`, `"2Gi"`},
	},
	"scheduler has defaults of its own": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) { p.Default = ptr.To(resource.MustParse("1Mi")) }),
		Spec:    "shared-device-consumes-by-policy",
		Want:    []string{"what claim preset consumes of device preset", `"1Mi"`, `"2Gi"`},
	},
	"scheduler takes nothing of what has no policy": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			for name, c := range d.Capacity {
				if c.RequestPolicy == nil {
					c.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse("0"))}
					d.Capacity[name] = c
				}
			}
		}),
		Spec: "shared-device-without-policy",
		Want: []string{"what claim all consumes of device plain", `"40Gi"`},
	},
	"scheduler does not state what is consumed": {
		Options: miswritesResults(func(r *resourceapi.DeviceRequestAllocationResult) { r.ConsumedCapacity = nil }),
		Spec:    "shared-device-consumes-by-policy",
		Want:    []string{"what claim as-asked consumes of device plain"},
	},
	"scheduler ignores maxima": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			if p.ValidRange != nil {
				p.ValidRange.Max = nil
			}
		}),
		Spec: "shared-device-keeps-to-policy",
		Want: []string{"should be refused, because their devices do not give what they ask for", "claim beyond-the-maximum was allocated"},
	},
	"scheduler ignores the largest valid value": {
		Options: misreadsPolicies(func(p *resourceapi.CapacityRequestPolicy) {
			if p.ValidValues != nil {
				p.ValidValues = append(p.ValidValues, resource.MustParse("16Gi"))
			}
		}),
		Spec: "shared-device-keeps-to-policy",
		Want: []string{"should be refused, because their devices do not give what they ask for", "claim beyond-the-values was allocated"},
	},
	"scheduler ignores capacity that a device lacks": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			delete(c.Requests[0].Exactly.Capacity.Requests, "slots")
		}),
		Spec: "shared-device-keeps-to-policy",
		Want: []string{"should be refused, because their devices do not give what they ask for", "claim another-capacity was allocated"},
	},
	"scheduler does not see what claims consume": {
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
		Want: []string{"should be refused, because 2Gi of the memory and 7 slots are left", "claim too-much-memory was allocated"},
	},
	"scheduler ignores capacity of devices that are not shared": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Requests[0].Exactly.Capacity = nil }),
		Spec:    "shared-device-told-from-others",
		Want:    []string{"pod larger should be refused, because the only device that is not shared has 4Gi"},
	},
	"scheduler takes all devices for shared ones": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) { d.AllowMultipleAllocations = ptr.To(true) }),
		Spec:    "shared-device-told-from-others",
		Want:    []string{"while waiting until pod fits is scheduled"},
	},
	"scheduler states consumption of devices that are not shared": {
		Options: miswritesResults(func(r *resourceapi.DeviceRequestAllocationResult) {
			r.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse("3Gi")}
		}),
		Spec: "shared-device-told-from-others",
		Want: []string{"a device that is not shared is allocated as a whole"},
	},
	"API server takes the status of shares that nobody has": {
		Options: wrong.With(fakecluster.Mistakes{StoresAnyStatus: true}),
		Spec:    "shared-device-status-of-each-share",
		Want:    []string{"the API server should refuse the status of a share that nobody has"},
	},
	"API server mixes up the status of shares": {
		Options: wrong.With(fakecluster.Mistakes{MixesUpShares: true}),
		Spec:    "shared-device-status-of-each-share",
		Want:    []string{"each share should have the status that was written of it", "False of request down"},
	},
	"API server takes whatever slices say": {
		Spec: "shared-device-is-validated",
		Want: []string{
			"a policy of a device that is not shared: is taken, and should be refused because of spec.devices[0].capacity",
			"both values and a range: is taken", "values without a default: is taken",
		},
	},
	"API server loses policies": {
		Options: wrong.Misstores("ResourceSlice", func(devices any) {
			for _, device := range devices.([]any) {
				delete(device.(map[string]any)["capacity"].(map[string]any)["memory"].(map[string]any), "requestPolicy")
			}
		}),
		Spec: "shared-device-is-validated",
		Want: []string{"a default: spec.devices[0].capacity.memory.requestPolicy"},
	},
	"API server keeps fields of a feature that is off": {
		Target: wrong.WithoutFeature(features.SharedDevices),
		Spec:   "shared-device-fields-dropped",
		Want:   []string{"a shared device: allowMultipleAllocations should be dropped", "a policy: requestPolicy should be dropped", `capacity of a request: "capacity" should be dropped`},
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
