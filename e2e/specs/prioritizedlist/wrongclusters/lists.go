// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongLists are clusters with faults that specs detect on simulated nodes.
var wrongLists = wrong.Table{
	"scheduler compares the names of subrequests without their lists": {
		Options: wrong.MisreadsClaims(constrainAllLists("first/only")), Spec: "prioritized-list-tells-lists-apart",
		Want: []string{"pod bound-first is not scheduled"},
	},
	"scheduler applies constraints on the second list to the first": {
		Options: wrong.MisreadsClaims(constrainAllLists("second/only")), Spec: "prioritized-list-tells-lists-apart",
		Want: []string{"pod bound-second is not scheduled"},
	},
	"scheduler configures all subrequests of a name": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
			for i := range results {
				for j, config := range results[i].Devices.Config {
					if slices.Contains(config.Requests, "first/only") {
						results[i].Devices.Config[j].Requests = []string{"first/only", "second/only"}
					}
				}
			}
		}}), Spec: "prioritized-list-tells-lists-apart",
		Want: []string{"the configuration of claim bound-first is for the subrequest of the list first only"},
	},
	"scheduler ignores constraints on subrequests": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			c.Constraints = slices.DeleteFunc(c.Constraints, func(one resourceapi.DeviceConstraint) bool {
				return slices.Contains(one.Requests, "first/only")
			})
		}),
		Spec: "prioritized-list-tells-lists-apart", Want: []string{"pod violated should be unschedulable"},
	},
	"containers do not see devices of alternatives": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsNoAlternatives: true}), Spec: "prioritized-list-containers-name-requests",
		Want: []string{"container list of pod pod should see the devices of the claims that it uses and no others", "the missing elements were"},
	},
	"containers see requests whose names begin with that of the list": {
		Options: wrong.With(fakecluster.ContainerMistakes{ComparesRequestsByPrefix: true}), Spec: "prioritized-list-containers-name-requests",
		Want: []string{"container list of pod pod should see the devices of the claims that it uses and no others", "the extra elements were"},
	},
	"driver does not unprepare the devices of alternatives": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "prioritized-list-containers-name-requests",
		Want: []string{"claim pod should be prepared: false"},
	},
	"scheduler allocates only the first claim of a pod": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) { s.Claims = s.Claims[:min(len(s.Claims), 1)] }),
		Spec:    "prioritized-list-goes-with-other-claims",
		Want:    []string{"the allocation of claim same-device-1 should satisfy its requests"},
	},
	"scheduler does not backtrack from an alternative for another claim": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			if len(c.Requests[0].FirstAvailable) > 1 {
				c.Requests[0].FirstAvailable = c.Requests[0].FirstAvailable[:1]
			}
		}),
		Spec: "prioritized-list-goes-with-other-claims",
		Want: []string{"while waiting until pod same-device is scheduled", "cannot allocate all claims"},
	},
	"scheduler ignores classes of alternatives": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, class := range s.Objects.Classes {
				if strings.HasSuffix(class.Name, "-fast") {
					class.Spec.Selectors = nil
				}
			}
		}),
		Spec: "prioritized-list-selects-by-alternative",
		Want: []string{"the devices of claim list should be for [list/slow-y], because no device is both of the class fast and called -x", "list/fast-x"},
	},
	"scheduler reads one selector of an alternative": {
		Options: misreadsAlternatives(func(all []resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest {
			for i := range all {
				all[i].Selectors = all[i].Selectors[:min(len(all[i].Selectors), 1)]
			}
			return all
		}),
		Spec: "prioritized-list-selects-by-alternative",
		Want: []string{"the device that both selectors accept", "slow-x"},
	},
	"scheduler ignores taints": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) { d.Taints = nil }),
		Spec:    "prioritized-list-tolerates-by-alternative",
		Want:    []string{"the devices of claim tolerant should be for [list/tolerant]", "list/intolerant"},
	},
	"scheduler applies tolerations of one alternative to all": {
		Options: misreadsAlternatives(func(all []resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest {
			for i := range all {
				if len(all) > 1 && i != 1 {
					all[i].Tolerations = all[1].Tolerations
				}
			}
			return all
		}),
		Spec: "prioritized-list-tolerates-by-alternative",
		Want: []string{"the devices of claim tolerant should be for [list/tolerant]", "list/intolerant"},
	},
	"scheduler ignores tolerations of alternatives": {
		Options: misreadsAlternatives(func(all []resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest {
			for i := range all {
				all[i].Tolerations = nil
			}
			return all
		}),
		Spec: "prioritized-list-tolerates-by-alternative",
		Want: []string{"the devices of claim tolerant should be for [list/tolerant]", "list/disk"},
	},
	"scheduler prefers the smallest alternative": {
		Options: misreadsAlternatives(func(all []resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest {
			return append(all[min(len(all), 2):], all[:min(len(all), 2)]...)
		}),
		Spec: "prioritized-list-uses-up-parent",
		Want: []string{"the devices of claim second should be for [list/half], because three quarters are left", "list/quarter"},
	},
	"scheduler does not return counters of partitions to lists": {
		Options: wrong.Misreads(wrong.KeepReleasedClaims()),
		Spec:    "prioritized-list-uses-up-parent",
		Want:    []string{"while waiting until pod fourth is scheduled"},
	},
	"scheduler does not retry pods with lists when classes are created": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "deviceclasses"}), Spec: "prioritized-list-changes-let-pods-in",
		Want: []string{"pod card is not scheduled"},
	},
	"scheduler does not retry pods with lists when slices are created": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "resourceslices"}), Spec: "prioritized-list-changes-let-pods-in",
		Want: []string{"pod for-slice is not scheduled"},
	},
	"scheduler reads the class of the first subrequest only": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Requests {
				c.Requests[i].FirstAvailable = c.Requests[i].FirstAvailable[:1]
			}
		}),
		Spec: "prioritized-list-changes-let-pods-in", Want: []string{"pod disk is not scheduled"},
	},
	"scheduler tries four subrequests": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Requests {
				c.Requests[i].FirstAvailable = c.Requests[i].FirstAvailable[:min(4, len(c.Requests[i].FirstAvailable))]
			}
		}), Spec: "prioritized-list-takes-last",
		Want: []string{"pod list is not scheduled"},
	},
}

// misreadsAlternatives returns a cluster whose scheduler sees changed
// subrequests in the first request of claims.
func misreadsAlternatives(change func([]resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest) fakecluster.Options {
	return wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Requests[0].FirstAvailable = change(c.Requests[0].FirstAvailable) })
}

// constrainAllLists makes the scheduler apply constraints on one subrequest to the
// subrequests of the same name in all lists of the claim.
func constrainAllLists(named string) func(*resourceapi.DeviceClaim) {
	return func(c *resourceapi.DeviceClaim) {
		for i := range c.Constraints {
			if slices.Contains(c.Constraints[i].Requests, named) {
				c.Constraints[i].Requests = []string{"anchor", "first/only", "second/only"}
			}
		}
	}
}
