// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListTellsListsApart creates a claim with two lists whose subrequests have
// the same name. A constraint names the subrequest of the first list, and the device of
// the second list would violate it. In a second claim, the constraint names the
// subrequest of the second list. Each has a configuration for the same subrequest. In a third
// one, the device of the first list violates the constraint.
var prioritizedListTellsListsApart = suite.Spec{
	ID:           "prioritized-list-tells-lists-apart",
	Description:  "A constraint or a configuration that names a subrequest applies to this subrequest, and not to one of the same name in another list of the claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     simulatedFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4816-configuration-for-one-alternative", "4816-constraint-for-one-alternative"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("anchor", "like", "unlike")
		for i, group := range []string{"a", "a", "b"} {
			inventory.Devices[i].Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &group}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		listFor := func(name, device string) devices.Request {
			only := fixture.SubRequestFor(sim, device)
			only.Name = "only"
			return fixture.FirstAvailable(name, only)
		}
		anchor := devices.Request{Name: "anchor", Device: fixture.RequestFor(sim, "anchor")[0].Device}
		group := ptr.To(resourceapi.FullyQualifiedName(sim.Driver + "/group"))
		for i, bound := range []string{"first", "second"} {
			claim := "bound-" + bound
			lists := []devices.Request{anchor, listFor("first", []string{"like", "unlike"}[i]), listFor("second", []string{"unlike", "like"}[i])}
			spec := devices.NewDeviceClaim(lists, resourceapi.DeviceConstraint{Requests: []string{"anchor", bound + "/only"}, MatchAttribute: group})
			spec.Config = []resourceapi.DeviceClaimConfiguration{{Requests: []string{bound + "/only"}, DeviceConfiguration: configuration("bound")}}
			pods.CreateWithClaim(ctx, e, claim, spec)
			expect.ScheduledFor(ctx, e, claim, fmt.Sprintf("the constraint names the subrequest of the list %s", bound), "anchor", "first/only", "second/only")
			config := claims.GetAllocation(ctx, e, claim).Config
			for _, list := range []string{"first", "second"} {
				configured := gomega.BeEmpty()
				if list == bound {
					configured = gomega.Equal([]string{"bound"})
				}
				gomega.Expect(configurationsFor(config, resourceapi.AllocationConfigSourceClaim, list, list+"/only")).To(configured,
					"the configuration of claim %s is for the subrequest of the list %s only", claim, bound)
			}
			pods.DeleteWithClaim(ctx, e, claim)
		}
		violated := []devices.Request{anchor, listFor("first", "unlike"), listFor("second", "like")}
		pods.CreateWithRequests(ctx, e, "violated", violated, resourceapi.DeviceConstraint{Requests: []string{"anchor", "first/only"}, MatchAttribute: group})
		pods.WaitForUnschedulable(ctx, e, "violated", "the constraint names the subrequest of the first list, whose device has another group")
	},
}
