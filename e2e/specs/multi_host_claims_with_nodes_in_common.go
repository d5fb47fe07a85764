package specs

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var multiHostClaimsWithNodesInCommon = suite.Spec{
	ID:           "multi-host-claims-with-nodes-in-common",
	Sentence:     "A pod with claims for two devices of several nodes is scheduled to a node that has both, and is pending if there is none.",
	Profile:      multiHost,
	Features:     []features.Feature{features.Core, features.Partitions},
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"4815-claims-with-nodes-in-common"},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 4)
		nodes := stage.Nodes
		inventory := offers("left", "middle", "right")
		for i := range inventory.Devices {
			inventory.Devices[i].NodeSelector = nodesWith(corev1.LabelHostname, nodes[i], nodes[i+1])
		}
		stage.Publish(ctx, suite.Pool{Name: "pool"}, inventory)
		for _, name := range []string{"left", "middle", "right"} {
			_, err := e.Claim(ctx, name, suite.Devices(called(stage, name)))
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
		}

		e.Join(ctx, "nowhere", suite.PodOptions{}, "left", "right")
		e.Refused(ctx, "nowhere", "no node has both devices")
		e.Join(ctx, "between", suite.PodOptions{}, "left", "middle")
		e.Scheduled(ctx, "between")
		gomega.Expect(e.Node(ctx, "between")).To(gomega.Equal(nodes[1]), "it is the only node that has both devices")
		e.Join(ctx, "beside", suite.PodOptions{}, "right")
		e.Scheduled(ctx, "beside")
		e.Refused(ctx, "nowhere", "its claims are allocated by now, to devices without a node in common")
	},
}
