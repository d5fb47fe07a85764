package specs

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityOneOfCompetingValuesWins = suite.Spec{
	ID:       "affinity-one-of-competing-values-wins",
	Sentence: "Of pods that compete for one device with different values, those with one of the values get it, and the others are pending.",
	Profile:  affinity,
	Features: sharingNeeds,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5981-one-of-two-wins",
		"5981-reserve-locks",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		var pods []string
		for i := range slots - 1 {
			for _, value := range []string{"a", "b", "c"} {
				pods = append(pods, fmt.Sprintf("%s-%d", value, i))
				e.StartClaim(ctx, pods[len(pods)-1], claiming(anyOf(stage), inSubnet(value)))
			}
		}
		// All pods become schedulable at the same time, so that the scheduler
		// handles each one before the previous ones are bound.
		e.AllRefused(ctx, "there is no device", pods...)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared([]string{subnet}, "nic"))

		var winners, losers []string
		gomega.Eventually(ctx, func(ctx context.Context) (err error) {
			if winners, losers, err = whoIsScheduled(ctx, e, pods); err != nil {
				return err
			}
			other := slices.IndexFunc(winners, func(pod string) bool { return pod[0] != winners[0][0] })
			switch {
			case other >= 0:
				return gomega.StopTrying(fmt.Sprintf("pods %s and %s state different values and are both scheduled", winners[0], winners[other]))
			case len(winners) < slots-1:
				return fmt.Errorf("of the pods with one of the values only %v are scheduled", winners)
			}
			return nil
		}).WithTimeout(e.Timeouts.Run).Should(gomega.Succeed(), "the pods with one of the values should be scheduled")
		e.AllScheduled(ctx, winners...)
		e.AllRefused(ctx, "pods with another value were faster", losers...)
	},
}
