package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

var reservedBeforeBound = suite.Spec{
	ID:           "reserved-before-bound",
	Description:  "A pod is not bound to a node before its claim is allocated and reserved for it.",
	Profile:      profile,
	Features:     []features.Feature{features.Core},
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-reserved-before-bound"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("not-reserved", "stored"))
		pods.CreateWithFailingBinding(ctx, e, "not-reserved", devices.NewDeviceClaim(fixture.RequestFor(sim, "not-reserved")))
		pods.ExpectNotBound(ctx, e, "not-reserved", "its claim is not reserved for it")
		pods.CreateWithRequests(ctx, e, "stored", fixture.RequestFor(sim, "stored"))
		pods.WaitForScheduled(ctx, e, "stored")
	},
}
