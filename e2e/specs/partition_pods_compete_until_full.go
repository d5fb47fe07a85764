package specs

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite"
)

var partitionPodsCompeteUntilFull = suite.Spec{
	ID:       "partition-pods-compete-until-full",
	Sentence: "Of many pods that want a partition at the same time as many get one as there are, and the others when those end.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Requirements: []string{
		"4815-counters-across-claims",
		"4815-refused-without-counters",
		"4815-release-returns-counters",
		"4815-rest-stays-allocatable",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 2)
		for _, node := range stage.Nodes {
			stage.Publish(ctx, suite.Pool{Node: node}, a100s(node, 1))
		}
		// Each of two GPUs has seven, wherever the others are.
		const pods, room = 19, 14
		var places []string
		for slice := range 7 {
			places = append(places, fmt.Sprintf("1g.5gb@%d", slice))
		}
		for i := range pods {
			e.Start(ctx, fmt.Sprintf("pod-%02d", i), one(at(stage, places...)))
		}
		in, out := untilScheduled(ctx, e, room)
		e.AllRefused(ctx, "as many pods as there are partitions have one", out...)
		e.AllScheduled(ctx, in...)

		const ended = 3
		for _, pod := range in[:ended] {
			e.Removed(ctx, pod)
		}
		in, out = untilScheduled(ctx, e, room)
		e.AllRefused(ctx, "as many pods as there are partitions have one", out...)
		e.AllScheduled(ctx, in...)
	},
}

// untilScheduled waits until so many pods of the spec have a node, and returns
// them and the others.
func untilScheduled(ctx context.Context, e *suite.Env, want int) (in, out []string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until %d pods are scheduled", want))
	gomega.Eventually(ctx, func(ctx context.Context) ([]string, error) {
		pods, err := e.Client.CoreV1().Pods(e.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		in, out = nil, nil
		for _, pod := range pods.Items {
			if pod.Spec.NodeName == "" {
				out = append(out, pod.Name)
			} else {
				in = append(in, pod.Name)
			}
		}
		return in, nil
	}).WithTimeout(e.Timeouts.Run).Should(gomega.HaveLen(want), "so many pods should be scheduled as there are partitions")
	return in, out
}
