package specs

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListGoesWithOtherClaims = suite.Spec{
	ID:       "prioritized-list-goes-with-other-claims",
	Sentence: "A subrequest is allocated only if the other claims of the pod can be satisfied on the same node.",
	Profile:  prioritizedList,
	Features: listsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"4816-alternatives-and-other-requests",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 2)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, offers("card", "board", "disk-0"))
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[1]}, offers("disk-1", "port"))

		startWithTwo(ctx, e, stage, "same-device", kindOf(stage, "card"), called(stage, "card"))
		isAllocatedFor(ctx, e, "same-device-0", "the other claim of its pod needs the only card", "list/disk")
		startWithTwo(ctx, e, stage, "same-node", kindOf(stage, "board"), called(stage, "port"))
		isAllocatedFor(ctx, e, "same-node-0", "the other claim of its pod needs a port, which is not where the board is", "list/disk")
	},
}

// startWithTwo waits until a pod with two claims is scheduled. One claim has a
// prioritized list of the given subrequest and a disk. The other claim has the
// given requests.
func startWithTwo(ctx context.Context, e *suite.Env, stage *suite.Stage, pod string, first suite.Alternative, other []suite.Request) {
	ginkgo.GinkgoHelper()
	e.StartClaims(ctx, pod, suite.Devices([]suite.Request{list("list", first, kindOf(stage, "disk"))}), suite.Devices(other))
	e.Scheduled(ctx, pod)
}
