package specs

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
)

var partitionCountersWithinAPod = suite.Spec{
	ID:       "partition-counters-within-a-pod",
	Sentence: "Devices of several claims of one pod do not overdraw a counter together.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Requirements: []string{
		"4815-counters-within-a-pod",
		"4815-refused-without-counters",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		node := stage.Nodes[0]
		stage.Publish(ctx, suite.Pool{Node: node}, a100s(node, 1))
		start := func(pod string, places ...string) {
			var claims []*resourceapi.ResourceClaim
			for i, place := range places {
				claim, err := e.Claim(ctx, fmt.Sprintf("%s-%d", pod, i), suite.Devices(one(at(stage, place))))
				gomega.Expect(err).NotTo(gomega.HaveOccurred())
				claims = append(claims, claim)
			}
			_, err := e.Pod(ctx, pod, suite.PodOptions{}, claims...)
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
		}
		start("too-much", "3g.20gb@0", "2g.10gb@4", "1g.10gb@4")
		e.Refused(ctx, "too-much", "two of its claims need the same memory slices")
		start("enough", "3g.20gb@0", "2g.10gb@4", "1g.10gb@6")
		e.Scheduled(ctx, "enough")
	},
}
