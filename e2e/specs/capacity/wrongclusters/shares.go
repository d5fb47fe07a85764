// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongShares are clusters with faults of the shares of devices.
var wrongShares = wrong.Table{
	"scheduler treats shared devices as exclusive": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) { d.AllowMultipleAllocations = nil }),
		Spec:    "shared-device-serves-claims-and-requests",
		Want:    []string{"while waiting until pod first is scheduled"},
	},
	"scheduler keeps the shares of a pod that it could not bind": {
		Options: wrong.KeepsDevicesOfUnbound(0), Spec: "shared-device-failed-binding-frees-capacity",
		Want: []string{"pod whole is not scheduled"},
	},
	"shares are not evicted": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			if e.Result.ShareID != nil {
				e.Published = nil
			}
		}),
		Spec: "shared-device-evicts-all-users", Want: []string{"pods one, two should be evicted, because their shared device has a taint of the effect NoExecute"},
	},
	"shares of other namespaces are not evicted": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			if slices.ContainsFunc(e.Pods, func(pod *corev1.Pod) bool { return pod.Name == "three" }) {
				e.Published = nil
			}
		}),
		Spec: "shared-device-evicts-all-users", Want: []string{"pod three should be evicted, because their shared device has a taint of the effect NoExecute"},
	},
	"scheduler allocates a device to two requests of a claim": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "two-requests" {
				doubleDevices(s)
			}
		}),
		Spec: "other-devices-have-one-user",
		Want: []string{"pod two-requests should be unschedulable, because there is one device", "claim two-requests was allocated"},
	},
	"scheduler allocates a device to two claims of a pod": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "two-claims" {
				doubleDevices(s)
			}
		}),
		Spec: "other-devices-have-one-user",
		Want: []string{"pod two-claims should be unschedulable, because there is one device", "claim two-claims-0 was allocated"},
	},
	"scheduler allocates a device of another claim": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ForgetsClaims: true}),
		Spec:    "other-devices-have-one-user",
		Want:    []string{"pod second should be unschedulable, because claim first has the only device", "claim second was allocated"},
	},
	"scheduler sets no share ids": {
		Options: miswritesResults(func(r *resourceapi.DeviceRequestAllocationResult) { r.ShareID = nil }),
		Spec:    "shared-device-serves-claims-and-requests",
		Want:    []string{"the share of device nic that claim first has should have an id"},
	},
	"scheduler sets the same id for all shares": {
		Options: miswritesResults(func(r *resourceapi.DeviceRequestAllocationResult) {
			r.ShareID = ptr.To(types.UID("6d4dd9ab-9b3c-4b4e-8a0e-111111111111"))
		}),
		Spec: "shared-device-serves-claims-and-requests",
		Want: []string{"share 6d4dd9ab-9b3c-4b4e-8a0e-111111111111 of device", "is allocated 3 times"},
	},
	"scheduler allocates one share of a device to a claim": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			c.Constraints = []resourceapi.DeviceConstraint{{DistinctAttribute: ptr.To(resourceapi.FullyQualifiedName("draconform-test-1.draconform.dev/name"))}}
		}),
		Spec: "shared-device-serves-claims-and-requests",
		Want: []string{"while waiting until pod second is scheduled", "cannot allocate all claims"},
	},
	"scheduler checks each claim of a pod by itself": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Claims) > 1 {
				doubleSlots(s)
			}
		}),
		Spec: "shared-device-claims-of-one-pod",
		Want: []string{"pod one should be unschedulable, because its claims need two slots of a device with one", "claim one-0 was allocated"},
	},
	"scheduler identifies allocated devices by their names": {
		Options: wrong.Misreads(wrong.MixUpPools),
		Spec:    "shared-device-capacity-of-one-pool",
		Want:    []string{"while waiting until pod elsewhere is scheduled"},
	},
	"scheduler identifies allocated devices by their pools and names": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				results := &claim.Status.Allocation.Devices.Results
				for _, r := range *results {
					r.Driver = strings.Replace(r.Driver, ".draconform.dev", ".second.draconform.dev", 1)
					*results = append(*results, r)
				}
			}
		}),
		Spec: "shared-device-capacity-of-one-pool", Want: []string{"while waiting until pod of-other-driver is scheduled"},
	},
	"scheduler takes zero for no value": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			maps.DeleteFunc(d.Attributes, func(_ resourceapi.QualifiedName, a resourceapi.DeviceAttribute) bool {
				return a.IntValue != nil && *a.IntValue == 0 || a.StringValue != nil && *a.StringValue == ""
			})
		}),
		Spec: "distinct-attribute-compares-types", Want: []string{"is not scheduled"},
	},
	"scheduler takes all numbers for distinct": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if a, ok := d.Attributes["group"]; ok && a.IntValue != nil {
				d.Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &d.Name}
			}
		}),
		Spec: "distinct-attribute-compares-types", Want: []string{"pod same-int should be unschedulable, because the integers are equal"},
	},
	"scheduler compares values of different types": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if a, ok := d.Attributes["group"]; ok && a.VersionValue != nil {
				d.Attributes["group"] = resourceapi.DeviceAttribute{StringValue: a.VersionValue}
			}
		}),
		Spec: "distinct-attribute-compares-types", Want: []string{"pod version-and-string is not scheduled"},
	},
	"scheduler compares devices instead of their attributes": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Constraints {
				*c.Constraints[i].DistinctAttribute = resourceapi.FullyQualifiedName(strings.Replace(string(*c.Constraints[i].DistinctAttribute), "/group", "/name", 1))
			}
		}),
		Spec: "shared-device-distinct-values",
		Want: []string{"pod groups should be unschedulable, because two of the devices have the same group and the other one has none"},
	},
	"scheduler treats missing attributes as different": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if _, ok := d.Attributes["group"]; !ok {
				d.Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &d.Name}
			}
		}),
		Spec: "shared-device-distinct-values",
		Want: []string{"pod groups should be unschedulable, because two of the devices have the same group and the other one has none"},
	},
	"scheduler ignores distinctAttribute": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = nil }),
		Spec:    "shared-device-distinct-attribute",
		Want:    []string{"pod apart should be unschedulable, because its three requests must get three devices, and there are two"},
	},
	"scheduler applies distinctAttribute to all requests": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints[0].Requests = nil }),
		Spec:    "shared-device-distinct-attribute",
		Want:    []string{"while waiting until pod partly is scheduled", "cannot allocate all claims"},
	},
	"scheduler ignores matchAttribute of shares": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = nil }),
		Spec:    "shared-device-match-attribute",
		Want:    []string{"the device that has two slots"},
	},
	"scheduler shares devices that are allocated as a whole": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				for i := range claim.Status.Allocation.Devices.Results {
					claim.Status.Allocation.Devices.Results[i].ShareID = ptr.To(types.UID("6d4dd9ab-9b3c-4b4e-8a0e-111111111111"))
				}
			}
		}),
		Spec: "shared-device-stays-exclusive",
		Want: []string{"pod after should be unschedulable, because claim before has all of the device"},
	},
	"scheduler consumes counters for each share": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			more := wrong.CountAllocations(s, "shared")
			for _, slice := range s.Objects.Slices {
				for _, set := range slice.Spec.SharedCounters {
					left := set.Counters["memory"].Value
					left.Set(left.Value() - max(more-1, 0)<<30)
					set.Counters["memory"] = resourceapi.Counter{Value: left}
				}
			}
		}),
		Spec: "shared-device-consumes-counters-once",
		Want: []string{"while waiting until pod quarter is scheduled"},
	},
	"scheduler returns counters with the first share": {
		Options: wrong.Misreads(func() func(*fakecluster.Scene) {
			var most int64
			return func(s *fakecluster.Scene) {
				most = max(most, wrong.CountAllocations(s, "shared"))
				if most == 3 && wrong.CountAllocations(s, "shared") < 3 {
					s.Objects.Claims = nil
				}
			}
		}()),
		Spec: "shared-device-consumes-counters-once",
		Want: []string{"pod half should be unschedulable, because claim a still has a share of a partition with 3Gi of 4Gi"},
	},
	"scheduler forgets the counters of shares without capacity": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool {
				return len(c.Status.Allocation.Devices.Results[0].ConsumedCapacity) == 0 && c.Name == "open"
			})
		}),
		Spec: "shared-device-consumes-counters-once",
		Want: []string{"pod late should be unschedulable, because claim open has a share of a partition with 3Gi of 4Gi"},
	},
	"scheduler forgets the counters of shares while pods compete": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool { return strings.HasPrefix(c.Name, "open-") })
		}),
		Spec: "shares-compete-for-counters", Want: []string{"is overdrawn"},
	},
	"scheduler consumes counters for each share of a pod": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "two-requests" {
				s.Objects.Slices = nil
			}
		}),
		Spec: "shared-device-counters-of-one-pod",
		Want: []string{"while waiting until pod two-requests is scheduled"},
	},
	"scheduler forgets the counters of a share that it tried": {
		Options: wrong.Misreads(wrong.IgnoreCounters("")),
		Spec:    "shared-device-counters-of-one-pod",
		Want:    []string{"pod in-vain should be unschedulable, because the shared partition and the half need more than their parent has"},
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
	"scheduler ignores claims of other namespaces": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Misreads: func(s *fakecluster.Scene) {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool { return c.Namespace != s.Pod.Namespace })
		}}), Spec: "shared-device-serves-namespaces",
		Want: []string{"pod three should be unschedulable, because the claims of both namespaces have all slots of the device", "claim three was allocated"},
	},
	"scheduler ignores devices that claims of other namespaces have alone": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool {
				return c.Namespace != s.Pod.Namespace && c.Status.Allocation.Devices.Results[0].ShareID == nil
			})
		}), Spec: "shared-device-serves-namespaces",
		Want: []string{"pod late should be unschedulable, because a claim of the other namespace has the device"},
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
	"scheduler shares a device within one namespace only": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Misreads: func(s *fakecluster.Scene) {
			if slices.ContainsFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool { return c.Namespace != s.Pod.Namespace }) {
				s.Objects.Slices = nil
			}
		}}), Spec: "shared-device-serves-namespaces",
		Want: []string{"while waiting until pod one is scheduled", "cannot allocate all claims"},
	},
	"scheduler shares devices by their capacity only": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if len(d.Capacity) == 0 {
				d.AllowMultipleAllocations = nil
			}
		}), Spec: "shared-device-without-capacity",
		Want: []string{"should have an id"},
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

// miswritesResults returns a cluster whose scheduler stores changed allocation
// results.
func miswritesResults(change func(*resourceapi.DeviceRequestAllocationResult)) fakecluster.Options {
	return wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
		for i := range results {
			for j := range results[i].Devices.Results {
				change(&results[i].Devices.Results[j])
			}
		}
	}})
}

// doubleSlots doubles the slots of all devices.
func doubleSlots(s *fakecluster.Scene) {
	wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
		slots := device.Capacity["slots"]
		slots.Value.Add(slots.Value)
		device.Capacity["slots"] = slots
	})
}

// doubleDevices makes the scheduler see each device twice.
func doubleDevices(s *fakecluster.Scene) {
	for _, slice := range s.Objects.Slices {
		for _, device := range slices.Clone(slice.Spec.Devices) {
			device.Name += "-again"
			slice.Spec.Devices = append(slice.Spec.Devices, device)
		}
	}
}
