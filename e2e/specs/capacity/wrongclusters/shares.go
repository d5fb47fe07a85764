// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
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

// doubleDevices makes the scheduler see each device twice.
func doubleDevices(s *fakecluster.Scene) {
	for _, slice := range s.Objects.Slices {
		for _, device := range slices.Clone(slice.Spec.Devices) {
			device.Name += "-again"
			slice.Spec.Devices = append(slice.Spec.Devices, device)
		}
	}
}
