// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// constraintNamesItsRequests publishes a device for each request of several claims, and
// creates a pod for each claim. The requests select their devices, so that only the
// constraints decide.
var constraintNamesItsRequests = suite.Spec{
	ID:           "constraint-names-its-requests",
	Description:  "A constraint applies to all requests that it names and to no others, also if their names are alike, and without names to all requests of the claim. Each of several constraints counts.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-all-constraints", "4381-scheduling-constraint-for-named-requests"},
	Body: func(ctx context.Context, e *env.Env) {
		all := fixture.ReadList[constrained](data, "constrained.yaml")
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := &simulated.Inventory{}
		for _, c := range all {
			for i, request := range c.Requests {
				inventory.Devices = append(inventory.Devices, withStrings(c.device(i), request.Attributes))
			}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		var allowed []string
		refused := map[string]string{}
		for _, c := range all {
			pods.CreateWithClaim(ctx, e, c.Name, c.claim(sim))
			if c.Refused == "" {
				allowed = append(allowed, c.Name)
			} else {
				refused[c.Name] = c.Refused
			}
		}
		pods.WaitForScheduled(ctx, e, allowed...)
		pods.WaitForEachUnschedulable(ctx, e, refused)
	},
}

// constrained is a claim with constraints.
type constrained struct {
	// Name is the name of the claim and the pod, and the beginning of the names of the
	// devices.
	Name string
	// Requests are for one device each, which has these attributes in the domain of the
	// driver.
	Requests []struct {
		Name       string
		Attributes map[resourceapi.QualifiedName]string
	}
	// Constraints are about an attribute of these requests. Without requests, they are
	// about all.
	Constraints []struct {
		Attribute string
		Requests  []string
	}
	// Refused states why the devices do not satisfy the constraints. It is empty if they do.
	Refused string
}

// device returns the name of the device of a request.
func (c constrained) device(request int) string { return fmt.Sprintf("%s-%d", c.Name, request) }

func (c constrained) claim(sim *simulated.Nodes) resourceapi.DeviceClaim {
	var requests []devices.Request
	for i, request := range c.Requests {
		requests = append(requests, devices.Request{Name: request.Name, Device: fixture.RequestFor(sim, c.device(i))[0].Device})
	}
	claim := devices.NewDeviceClaim(requests)
	for _, constraint := range c.Constraints {
		one := same(ownName(sim, constraint.Attribute))
		one.Requests = constraint.Requests
		claim.Constraints = append(claim.Constraints, one)
	}
	return claim
}
