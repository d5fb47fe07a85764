// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingWaitsForAlternatives creates claims whose only request is a list. A device with
// binding conditions is allocated for the first subrequest of one of them, and for the second
// one of the other.
var bindingWaitsForAlternatives = suite.Spec{
	ID:           "binding-waits-for-alternatives",
	Description:  "A pod whose device was allocated for a subrequest of a prioritized list is bound to a node only when the device is ready.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append(slices.Clone(bindingFeatures), features.PrioritizedList),
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-conditions-are-recorded", "5007-waits-for-all-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fabric("card", "disk")
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		waiting := map[string]string{"card": "its device, the first alternative, is not ready", "disk": "its device, the second alternative, is not ready"}
		for i, pod := range []string{"card", "disk"} {
			alternatives := []devices.SubRequest{fixture.SubRequestFor(sim, pod), fixture.SubRequestFor(sim, "none")}
			if i == 1 {
				slices.Reverse(alternatives)
			}
			pods.CreateWithRequests(ctx, e, pod, []devices.Request{fixture.FirstAvailable("list", alternatives...)})
			for _, result := range claims.WaitForAllocation(ctx, e, pod, "there is a device for one of its alternatives").Results {
				expectRecorded(result, inventory.Devices[i])
			}
		}
		expectWaiting(ctx, e, waiting)
		reportReady(ctx, e, "card", "disk")
		pods.WaitForScheduled(ctx, e, "card", "disk")
	},
}
