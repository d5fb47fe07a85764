// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/metrics"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingOutcomesAreCounted lets the device of a pod fail once. Then it becomes
// ready. The driver of the device has a name that no other spec uses. A scheduler
// counts attempts, so it may count an outcome more than once.
var bindingOutcomesAreCounted = suite.Spec{
	ID:           "binding-outcomes-are-counted",
	Description:  "The metric scheduler_dra_bindingconditions_allocations_total counts the devices of a driver that became ready, and those that failed, before pods were bound.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsMetrics},
	Since:        "1.37",
	Requirements: []string{"5007-metric-of-outcomes"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fabric("card"))
		of := func(outcome string) metrics.Series {
			return metrics.Series{
				Component: env.Scheduler, Metric: "scheduler_dra_bindingconditions_allocations_total",
				Labels: map[string]string{"driver": sim.Driver, "status": outcome},
			}
		}
		expect := func(outcome string, n float64, because string) {
			of(outcome).WaitFor(ctx, e, because, func(context.Context) (float64, error) { return n, nil })
		}
		pods.CreateWithRequests(ctx, e, "pod", fixture.RequestFor(sim, "card"))
		claims.WaitForAllocation(ctx, e, "pod", "its device is free")
		expect("success", 0, "the device is not ready")
		expect("failure", 0, "the device has not failed")
		report(ctx, e, "pod", map[string]conditions{"card": {failed: metav1.ConditionTrue}})
		claims.WaitForAllocation(ctx, e, "pod", "its device has failed, so that it is deallocated, and then allocated again")
		failures := of("failure").WaitForAtLeast(ctx, e, "the device has failed once", 1)
		reportReady(ctx, e, "pod")
		pods.WaitForScheduled(ctx, e, "pod")
		of("success").WaitForAtLeast(ctx, e, "the device has become ready", 1)
		expect("failure", failures, "the device has not failed again")
	},
}
