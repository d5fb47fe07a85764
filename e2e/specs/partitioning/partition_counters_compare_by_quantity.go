// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionCountersCompareByQuantity publishes counters whose values would compare
// differently as text, in other units, and devices that consume parts of them, all of
// them, or nothing.
var partitionCountersCompareByQuantity = suite.Spec{
	ID:           "partition-counters-compare-by-quantity",
	Description:  "Counters are quantities, whatever their units. A device that consumes nothing of a counter is available when the counter is used up.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     partitionFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"4815-counters-are-quantities"},
	Body:         func(ctx context.Context, e *env.Env) { expectQuantities(ctx, e, "quantities.yaml") },
}

// expectQuantities asserts that devices consume the amounts of a file exactly, one after the
// other.
func expectQuantities(ctx context.Context, e *env.Env, file string) {
	ginkgo.GinkgoHelper()
	sim := simulated.CreateNodes(ctx, e, 1)
	counter := func(amount string) map[string]resourceapi.Counter {
		return map[string]resourceapi.Counter{"counter": {Value: resource.MustParse(amount)}}
	}
	inventory := &simulated.Inventory{}
	all := fixture.ReadList[quantities](data, file)
	for _, of := range all {
		inventory.CounterSets = append(inventory.CounterSets, resourceapi.CounterSet{Name: of.Name, Counters: counter(of.Value)})
		for i, amount := range []string{of.Most, of.TooMuch, of.Rest, "0"} {
			device := fixture.Devices(of.Name + "-" + []string{"most", "too-much", "rest", "nothing"}[i]).Devices[0]
			device.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: of.Name, Counters: counter(amount)}}
			inventory.Devices = append(inventory.Devices, device)
		}
	}
	sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
	create := func(what string) (names []string) {
		for _, of := range all {
			name := of.Name + "-" + what
			pods.CreateWithRequests(ctx, e, name, fixture.RequestFor(sim, name))
			names = append(names, name)
		}
		return names
	}
	pods.WaitForScheduled(ctx, e, create("most")...)
	pods.WaitForAllUnschedulable(ctx, e, "less is left of their counters than they consume", create("too-much")...)
	pods.WaitForScheduled(ctx, e, create("rest")...)
	pods.WaitForScheduled(ctx, e, create("nothing")...)
}

// quantities are the value of a counter and amounts that devices consume, one after
// the other.
type quantities struct{ Name, Value, Most, TooMuch, Rest string }
