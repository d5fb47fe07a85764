// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite"
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
	"scheduler does not prefer nodes with the first alternative": {
		Options: seesFirstNodeFor("first-"),
		Spec:    "prioritized-list-prefers-nodes-with-first",
		Want:    []string{"pods first on the node with their preferred device, because one node has the first alternative: 1 of 4 should be"},
	},
	"scheduler prefers only nodes with the first alternative": {
		Options: seesFirstNodeFor("second-"),
		Spec:    "prioritized-list-prefers-nodes-with-first",
		Want:    []string{"pods second on the node with their preferred device, because no node has the first alternative and one has the second: 1 of 4 should be"},
	},
	"scheduler prefers nodes by the first list only": {
		Options: seesFirstNodeFor("last-list-"),
		Spec:    "prioritized-list-prefers-nodes-with-first",
		Want:    []string{"pods last-list on the node with their preferred device", "1 of 4 should be"},
	},
	"scheduler prefers nodes by the list of the last claim only": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ScoresLastClaimOnly: true}), Spec: "prioritized-list-prefers-nodes-for-each-claim",
		Want: []string{"pods first-claim on the node with the device that their list prefers: 2 of 8 should be"},
	},
	"scheduler prefers nodes by the list of the first claim only": {
		Options: seesFirstNodeFor("last-claim-"),
		Spec:    "prioritized-list-prefers-nodes-for-each-claim",
		Want:    []string{"pods last-claim on the node with the device that their list prefers: 2 of 8 should be"},
	},
	"scheduler does not prefer nodes by the lists of later claims": {
		Options: seesFirstNodeFor("last-claim-"),
		Spec:    "prioritized-list-prefers-nodes-with-first",
		Want:    []string{"pods last-claim on the node with their preferred device", "1 of 4 should be"},
	},
	"scheduler prefers nodes with more devices of a list": {
		Options: seesFirstNodeFor("few-before-many-"),
		Spec:    "prioritized-list-prefers-nodes-with-first",
		Want:    []string{"pods few-before-many on the node with their preferred device", "1 of 4 should be"},
	},
	"scheduler finds no node for pods with claims that are allocated already": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Pod.Spec.ResourceClaims) > len(s.Claims) {
				s.Nodes = nil
			}
		}),
		Spec: "prioritized-list-goes-with-allocated-claims",
		Want: []string{"while waiting until pod pod-0 is scheduled"},
	},
	"scheduler has no preference for pods with claims that are allocated already": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Pod.Spec.ResourceClaims) > len(s.Claims) {
				s.Nodes = s.Nodes[:1]
			}
		}),
		Spec: "prioritized-list-goes-with-allocated-claims",
		Want: []string{"pods on the node with their preferred device: 1 of 4 should be"},
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

// seesFirstNodeFor lets the scheduler see only the first node that it may choose for pods
// whose names begin like this, so that it does not choose the preferred one.
func seesFirstNodeFor(prefix string) fakecluster.Options {
	return wrong.Misreads(func(s *fakecluster.Scene) {
		if strings.HasPrefix(s.Pod.Name, prefix) {
			s.Nodes = s.Nodes[:min(len(s.Nodes), 1)]
		}
	})
}

// withoutPreferences are clusters whose schedulers prefer no node because of a list, by the
// spec that finds it.
var withoutPreferences = map[string][]string{
	"prioritized-list-prefers-nodes-with-first":     {"pods first on the node with their preferred device", "pods few-before-many"},
	"prioritized-list-prefers-nodes-for-each-claim": {"pods first-claim", "pods last-claim"},
	"prioritized-list-goes-with-allocated-claims":   {"pods on the node with their preferred device: 1 of 4"},
}

// preferring returns the clusters without preferences. Those of known schedulers are wrong.
func preferring(foreign bool) wrong.Table {
	all, scheduler := wrong.Table{}, "scheduler"
	if foreign {
		scheduler = "foreign scheduler"
	}
	for spec, want := range withoutPreferences {
		c := wrong.Cluster{Options: prefersNothing, Spec: spec, Want: append([]string{"the scheduler should prefer nodes with earlier alternatives"}, want...)}
		if foreign {
			c.Options.ForeignScheduler, c.Outcome = true, suite.NotApplicable
			c.Want[0] = "needs a scheduler that prefers nodes with earlier alternatives: "
		}
		all[scheduler+" prefers no nodes, which "+spec+" finds"] = c
	}
	return all
}

// prefersNothing is a cluster whose scheduler takes the first node that fits a pod with a list.
var prefersNothing = wrong.Misreads(func(s *fakecluster.Scene) {
	hasList := slices.ContainsFunc(s.Claims, func(c *resourceapi.ResourceClaim) bool {
		return slices.ContainsFunc(c.Spec.Devices.Requests, func(r resourceapi.DeviceRequest) bool { return len(r.FirstAvailable) > 0 })
	})
	if hasList {
		s.Nodes = s.Nodes[:min(len(s.Nodes), 1)]
	}
})
