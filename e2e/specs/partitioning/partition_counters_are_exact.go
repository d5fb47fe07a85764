// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionCountersAreExact publishes a counter of one unit. Devices consume 400m of
// it, 300m and 200m. Two of the first fit, then the second does not, and the third
// does.
var partitionCountersAreExact = suite.Spec{
	ID:           "partition-counters-are-exact",
	Description:  "Devices consume fractions of a counter without rounding.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     partitionFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"4815-counters-are-quantities"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		counter := func(amount string) map[string]resourceapi.Counter {
			return map[string]resourceapi.Counter{"power": {Value: resource.MustParse(amount)}}
		}
		inventory := fixture.Devices("first", "second", "too-much", "rest")
		inventory.CounterSets = []resourceapi.CounterSet{{Name: "card", Counters: counter("1")}}
		for i, amount := range []string{"400m", "400m", "300m", "200m"} {
			inventory.Devices[i].ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "card", Counters: counter(amount)}}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		for _, name := range []string{"first", "second"} {
			pods.CreateWithRequests(ctx, e, name, fixture.RequestFor(sim, name))
			pods.WaitForScheduled(ctx, e, name)
		}
		pods.CreateWithRequests(ctx, e, "too-much", fixture.RequestFor(sim, "too-much"))
		pods.WaitForUnschedulable(ctx, e, "too-much", "only 200m of the counter are left")
		pods.CreateWithRequests(ctx, e, "rest", fixture.RequestFor(sim, "rest"))
		pods.WaitForScheduled(ctx, e, "rest")
	},
}
