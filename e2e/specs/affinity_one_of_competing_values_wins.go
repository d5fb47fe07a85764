package specs

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityOneOfCompetingValuesWins = suite.Spec{
	ID:       "affinity-one-of-competing-values-wins",
	Sentence: "Of pods that compete with different values for one device, those with one of the values get it and the others wait.",
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
		competing := map[string][]string{}
		var all []string
		for i := range slots - 1 {
			for _, value := range []string{"a", "b", "c"} {
				name := fmt.Sprintf("%s-%d", value, i)
				competing[value], all = append(competing[value], name), append(all, name)
				e.StartClaim(ctx, name, claiming(anyOf(stage), inSubnet(value)))
			}
		}
		// They come back all at once, so that each is looked at before those ahead of
		// it are bound.
		e.AllRefused(ctx, "there is no device", all...)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared([]string{subnet}, "nic"))

		winner := ""
		gomega.Eventually(ctx, func(ctx context.Context) string {
			for value, pods := range competing {
				if e.Node(ctx, pods[0]) != "" {
					winner = value
				}
			}
			return winner
		}).WithTimeout(e.Timeouts.Run).ShouldNot(gomega.BeEmpty(), "one of the pods should be scheduled")
		losers := map[string]string{}
		for value, pods := range competing {
			for _, pod := range pods {
				if value == winner {
					e.Scheduled(ctx, pod)
				} else {
					losers[pod] = "pods with another value were faster"
				}
			}
		}
		e.EachRefused(ctx, losers)
	},
}
