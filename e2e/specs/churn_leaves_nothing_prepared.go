package specs

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var churnLeavesNothingPrepared = suite.Spec{
	ID:           "churn-leaves-nothing-prepared",
	Sentence:     "Of many pods that are created and deleted on one node, some before they run, no claim stays prepared.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesDriver,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-unprepared-after-last-pod"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		const rounds, pods = 3, 4
		for round := range rounds {
			var started []string
			for i := range pods {
				started = append(started, use.start(ctx, e, fmt.Sprintf("claim-%d-%d", round, i)))
			}
			// The pods of the last round are deleted in whatever state they
			// are.
			for _, pod := range started {
				if round < rounds-1 {
					e.Runs(ctx, pod)
				}
			}
			e.Ended(ctx, started...)
			for i := range pods {
				claim := fmt.Sprintf("claim-%d-%d", round, i)
				e.Prepared(ctx, use.device.Driver, use.node, claim, false)
				if len(e.Calls(ctx, use.device.Driver, use.node, calls.Prepare, claim)) > 0 {
					e.Called(ctx, use.device.Driver, use.node, calls.Unprepare, claim)
				}
			}
		}
	},
}
