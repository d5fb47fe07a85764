// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/metrics"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// metricsCountGeneratedClaims creates two pods whose claims are created from a
// template, while no other specs run.
var metricsCountGeneratedClaims = suite.Spec{
	ID:           "metrics-count-generated-claims",
	Description:  "The metric dynamic_resource_allocation_resourceclaim_creates_total of kube-controller-manager counts the claims that were created from templates for pods.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsMetrics},
	Since:        "1.37", // Its name has changed.
	Requirements: []string{"4381-scheduling-metric-of-generated-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		claims.CreateTemplate(ctx, e, "template", devices.NewDeviceClaim(fixture.AnyDevice(sim)))
		created := metrics.Series{
			Component: env.ControllerManager, Metric: "dynamic_resource_allocation_resourceclaim_creates_total",
			Labels: map[string]string{"status": "success", "owner_api_kind": "Pod"},
		}
		before := created.Get(ctx, e)
		pods.CreateFromClaimTemplate(ctx, e, "first", "template", "")
		pods.CreateFromClaimTemplate(ctx, e, "second", "template", "")
		pods.WaitForScheduled(ctx, e, "first", "second")
		created.WaitFor(ctx, e, "two claims were created", func(context.Context) (float64, error) { return before + 2, nil })
	},
}
