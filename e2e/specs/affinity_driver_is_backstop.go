package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

// The slices do not declare the affinity keys that the driver enforces. The
// scheduler therefore lets the claims share the device, and only the driver can
// reject a claim.
var affinityDriverIsBackstop = suite.Spec{
	ID:       "affinity-driver-is-backstop",
	Sentence: "A driver fails to prepare a claim whose values conflict with those of other claims on the device, and prepares it when they are unprepared.",
	Profile:  affinity,
	Features: []features.Feature{features.Core, features.SharedDevices},
	Judges:   suite.JudgesDriver,
	Kinds:    []subject.Kind{subject.KindShared},
	Nodes:    1,
	Needs:    []suite.Need{suite.NeedsDrivers},
	Requirements: []string{
		"5981-driver-is-the-backstop",
		"5981-driver-refuses-conflicts",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		shared := e.Subject.Shared
		driver, apart := shared.Share.Driver, shared.Apart
		node := e.DriverNode(ctx, driver)
		e.Demand(ctx, driver, node, apart.Keys, false)
		e.StartConfigured(ctx, "one", node, shared.Share, apart.One)
		e.Runs(ctx, "one")
		container := e.Container(ctx, "one")
		same := shared.Of(e.Identity(ctx, "one"))

		e.StartConfigured(ctx, "other", node, same, apart.Other)
		e.RefusedByDriver(ctx, "other", driver, node, apart.Keys)
		e.StartConfigured(ctx, "contradicting", node, same, apart.One, apart.Contradicts)
		e.RefusedByDriver(ctx, "contradicting", driver, node, apart.Keys)
		e.StartConfigured(ctx, "agreeing", node, same, apart.One)
		e.Runs(ctx, "agreeing")
		e.KeptRunning(ctx, container, "claims that were refused")

		e.Removed(ctx, "one")
		e.Removed(ctx, "agreeing")
		e.Runs(ctx, "other")
	},
}
