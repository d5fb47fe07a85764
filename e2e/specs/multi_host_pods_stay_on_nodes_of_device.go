package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var multiHostPodsStayOnNodesOfDevice = suite.Spec{
	ID:           "multi-host-pods-stay-on-nodes-of-device",
	Sentence:     "Pods that share a claim for a device of two nodes are scheduled to these nodes, including the node of the first pod, and further pods to no other node.",
	Profile:      multiHost,
	Features:     []features.Feature{features.Core, features.Partitions},
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"4815-pods-stay-on-the-devices-nodes", "4815-pods-share-a-multi-host-device"},
	Body: func(ctx context.Context, e *suite.Env) {
		g := stageGrid(ctx, e, "4x4")
		first := e.StartUsers(ctx, "pair", g.of("2x4"), 1, suite.PodOptions{Node: g.Nodes[3]})
		e.Scheduled(ctx, first[0])

		apart := suite.PodOptions{Apart: true}
		e.Join(ctx, "second", apart, "pair")
		e.Scheduled(ctx, "second")
		gomega.Expect(e.Node(ctx, "second")).To(gomega.Equal(g.Nodes[2]), "the only 2x4 with host 3 has hosts 2 and 3")

		e.Join(ctx, "third", apart, "pair")
		e.Refused(ctx, "third", "both nodes of its device have a pod of the claim, and the other nodes do not have the device")
	},
}
