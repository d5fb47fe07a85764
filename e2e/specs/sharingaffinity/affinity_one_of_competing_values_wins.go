// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// affinityOneOfCompetingValuesWins creates nine pods with three values before
// there is a device, and then publishes one that has room for the pods of one
// value.
var affinityOneOfCompetingValuesWins = suite.Spec{
	ID:          "affinity-one-of-competing-values-wins",
	Description: "Of pods that compete for one device with different values, those with one of the values get it, and the others are pending.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-one-of-two-wins",
		"5981-reserve-locks",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		var podNames []string
		for i := range fixture.Slots - 1 {
			for _, value := range []string{"a", "b", "c"} {
				podNames = append(podNames, fmt.Sprintf("%s-%d", value, i))
				pods.CreateWithClaim(ctx, e, podNames[len(podNames)-1], newClaim(fixture.AnyDevice(sim), inSubnet(value)))
			}
		}
		// All pods become schedulable at the same time, so that the scheduler
		// handles each one before the previous ones are bound.
		pods.WaitForAllUnschedulable(ctx, e, "there is no device", podNames...)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices([]string{subnet}, "nic"))

		var winners, losers []string
		gomega.Eventually(ctx, func(ctx context.Context) (err error) {
			if winners, losers, err = expect.ListScheduled(ctx, e, podNames); err != nil {
				return err
			}
			other := slices.IndexFunc(winners, func(pod string) bool { return pod[0] != winners[0][0] })
			switch {
			case other >= 0:
				return gomega.StopTrying(fmt.Sprintf("pods %s and %s state different values and are both scheduled", winners[0], winners[other]))
			case len(winners) < fixture.Slots-1:
				return fmt.Errorf("of the pods with one of the values only %v are scheduled", winners)
			}
			return nil
		}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "the pods with one of the values should be scheduled")
		pods.WaitForScheduled(ctx, e, winners...)
		pods.WaitForAllUnschedulable(ctx, e, "pods with another value were faster", losers...)
	},
}
