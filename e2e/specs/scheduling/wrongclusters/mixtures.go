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

// wrongMixtures are clusters whose scheduler mixes up the requests, constraints and claims
// of a pod.
var wrongMixtures = wrong.Table{
	"scheduler applies constraints to all claims of a pod": {
		Options: misreadsAttributes(func(_ string, all map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) {
			if group := all["group"].StringValue; group != nil && *group != "a" {
				delete(all, "group")
			}
		}),
		Spec: "constraint-is-of-its-claim", Want: []string{"pod pairs is not scheduled"},
	},
	"scheduler applies the constraints of the first claim of a pod": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
			for i, device := range []string{"card-0", "card-2"} {
				results[1].Devices.Results[i].Device = device
			}
		}}),
		Spec: "constraint-is-of-its-claim", Want: []string{"the allocation of claim pairs-1 should satisfy its requests and constraints"},
	},
	"scheduler takes requests of the same name for the same": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Claims) == 2 {
				for i := range s.Claims[1].Spec.Devices.Requests {
					s.Claims[1].Spec.Devices.Requests[i].Exactly = s.Claims[0].Spec.Devices.Requests[i].Exactly
				}
			}
		}), Spec: "claims-of-a-pod-are-told-apart",
		Want: []string{"is for", "devices of the kind"},
	},
	"scheduler configures requests of the same name alike": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
			if len(results) == 2 {
				results[1].Devices.Config = results[0].Devices.Config
			}
		}}), Spec: "claims-of-a-pod-are-told-apart",
		Want: []string{"slow", "fast"},
	},
	"scheduler reads two of the names in a constraint": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Constraints {
				c.Constraints[i].Requests = c.Constraints[i].Requests[:min(2, len(c.Constraints[i].Requests))]
			}
		}), Spec: "constraint-names-its-requests",
		Want: []string{"pod third-differs should be unschedulable, because the device of the third request that the constraint names has another group"},
	},
	"scheduler applies constraints to requests whose names begin with a name": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Constraints {
				for _, request := range c.Requests {
					if len(c.Constraints[i].Requests) > 0 && strings.HasPrefix(request.Name, c.Constraints[i].Requests[0]+"-") {
						c.Constraints[i].Requests = append(c.Constraints[i].Requests, request.Name)
					}
				}
			}
		}), Spec: "constraint-names-its-requests",
		Want: []string{"pod names-are-alike is not scheduled"},
	},
	"scheduler keeps rejected devices in the first constraint": {
		Options: misreadsAttributes(func(_ string, all map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) {
			if board := all["board"].StringValue; board != nil && *board != "lonely" {
				delete(all, "board")
			}
		}),
		Spec: "constraints-forget-rejected-devices", Want: []string{"pod board-first is not scheduled"},
	},
	"scheduler finds attributes of the driver in the domains of third parties": {
		Options: misreadsAttributes(func(_ string, all map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) {
			if group, ok := all["group"]; ok {
				all["other.example.com/group"] = group
			}
		}),
		Spec: "attribute-domains-are-told-apart", Want: []string{"pod unlike is not scheduled"},
	},
	"scheduler finds attributes of the driver if the third party has none": {
		Options: misreadsAttributes(func(_ string, all map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) {
			group, ok := all["group"]
			if _, has := all["other.example.com/group"]; ok && !has {
				all["other.example.com/group"] = group
			}
		}),
		Spec: "attribute-domains-are-told-apart", Want: []string{"pod only-own should be unschedulable, because its devices have the attribute in the domain of their driver only"},
	},
	"scheduler leaves out devices that the pod has already": {
		Options: wrong.MisreadsClaims(func(claim *resourceapi.DeviceClaim) {
			if first := claim.Requests[0]; first.Name == "one" && len(claim.Requests) > 1 {
				others := "!(" + first.Exactly.Selectors[0].CEL.Expression + ")"
				claim.Requests[1].Exactly.Selectors = append(claim.Requests[1].Exactly.Selectors, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: others}})
			}
		}),
		Spec: "all-devices-are-not-shared-within-a-pod", Want: []string{"pod before should be unschedulable, because its first request needs one of all cards"},
	},
	"scheduler does not take back a device that is one of all": {
		Options: wrong.MisreadsClaims(func(claim *resourceapi.DeviceClaim) {
			if claim.Requests[0].Name == "any" && len(claim.Requests) > 1 {
				claim.Requests[0].Exactly.Selectors = claim.Requests[1].Exactly.Selectors
			}
		}),
		Spec: "all-devices-are-not-shared-within-a-pod", Want: []string{"pod any-device is not scheduled"},
	},
	"scheduler configures all claims of a pod by the classes of the first": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
			for i := range results {
				results[i].Devices.Config = results[0].Devices.Config
			}
		}}),
		Spec: "class-configures-its-requests", Want: []string{"request of claim pod-1 should have the configuration of its class and no other"},
	},
	"scheduler configures requests of a class that follow each other": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
			for _, config := range results[0].Devices.Config {
				if i := slices.Index(config.Requests, "request-2"); i > 0 {
					config.Requests[i] = config.Requests[0]
				}
			}
		}}),
		Spec: "class-configures-its-requests", Want: []string{"request-2 of claim pod-0 should have the configuration of its class and no other"},
	},
	"scheduler remembers only the first claim of the last pods": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool { return !strings.HasSuffix(c.Name, "-0") })
		}),
		Spec: "competing-pods-get-different-devices", Want: []string{"is allocated 2 times"},
	},
	"scheduler counts the results of all claims of a pod": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if strings.HasPrefix(s.Pod.Name, "two-claims-") {
				s.Claims[1].Spec.Devices.Requests[0].Exactly.Count++
			}
		}),
		Spec: "large-slice-is-used-up", Want: []string{"pod two-claims-0 is not scheduled"},
	},
}
