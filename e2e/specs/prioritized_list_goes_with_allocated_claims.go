package specs

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListGoesWithAllocatedClaims = suite.Spec{
	ID:       "prioritized-list-goes-with-allocated-claims",
	Sentence: "A pod with a list and an allocated claim for a device of all nodes is scheduled to the node that has the first subrequest.",
	Profile:  prioritizedList,
	Features: listsNeed,
	Judges:   suite.JudgesScheduler,
	Since:    "1.36", // 1.35 computes no scores for such pods and does not schedule them.
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"4816-nodes-beside-allocated-claims",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 3)
		stage.Publish(ctx, suite.Pool{Name: "of-all-nodes"}, offers("link"))
		for i, node := range stage.Nodes {
			inventory := offers("common-0", "common-1", "common-2")
			inventory.Devices = append(inventory.Devices, rare(i, 1).Devices...)
			stage.Publish(ctx, suite.Pool{Node: node}, inventory)
		}
		seen(ctx, e, stage, stage.Nodes[0], "last")
		link, err := e.Claim(ctx, "link", suite.Devices(called(stage, "link")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		_, err = e.Pod(ctx, "holder", suite.PodOptions{}, link)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		e.Scheduled(ctx, "holder")

		pod := func(i int) string { return fmt.Sprintf("pod-%d", i) }
		for i := range stage.Nodes {
			list, err := e.Claim(ctx, pod(i), suite.Devices([]suite.Request{list("list", rareOf(stage, i), kindOf(stage, "common"))}))
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
			claims := []*resourceapi.ResourceClaim{link, list}
			if i == 0 {
				claims = []*resourceapi.ResourceClaim{list, link}
			}
			_, err = e.Pod(ctx, pod(i), suite.PodOptions{}, claims...)
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
		}
		for i, node := range stage.Nodes {
			isScheduledFor(ctx, e, pod(i), "one node has the first alternative", "list/rare")
			gomega.Expect(e.Node(ctx, pod(i))).To(gomega.Equal(node), "pod %s should be on the node with what it prefers", pod(i))
		}
	},
}
