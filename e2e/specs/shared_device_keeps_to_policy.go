package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var sharedDeviceKeepsToPolicy = suite.Spec{
	ID:       "shared-device-keeps-to-policy",
	Sentence: "A free device does not fit a request for more than its policy or its capacity allows, or for a capacity that it does not have.",
	Profile:  capacity,
	Features: sharesNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-beyond-the-policy",
		"5075-requested-amount",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, described("policies.yaml"))
		var refused []string
		for _, row := range rows[amount]("amounts.yaml") {
			if row.Consumes == nil {
				e.Start(ctx, row.Name, shareOf(stage, row.Device, row.Asks))
				refused = append(refused, row.Name)
			}
		}
		e.AllRefused(ctx, "their devices do not give what they ask for", refused...)

		// These amounts of the same devices are permitted.
		e.Start(ctx, "up-to-maximum", shareOf(stage, "steps", inMemory("11Gi")))
		consumes(ctx, e, "up-to-maximum", inMemory("11Gi"))
		e.Start(ctx, "all-of-it", shareOf(stage, "plain", inMemory("40Gi")))
		consumes(ctx, e, "all-of-it", inMemory("40Gi"))
	},
}
