package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var affinityNotDeclaredShares = suite.Spec{
	ID:       "affinity-not-declared-shares",
	Sentence: "Claims share a device that declares no keys, whatever affinity values they have.",
	Profile:  affinity,
	Smoke:    true,
	Features: []features.Feature{features.Core, features.SharedDevices},
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5981-entry-admitted",
		"5981-permissive-sharing",
		"5981-basic-sharing",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		tryTable(ctx, e, "undeclared")
	},
}
