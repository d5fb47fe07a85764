package specs

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var multiHostOwnClaimsKeepPodsApart = suite.Spec{
	ID:           "multi-host-own-claims-keep-pods-apart",
	Sentence:     "Pods that share a device of two nodes, and each have a claim for a device that every node has once, run on different nodes. A third pod is pending although other nodes are free.",
	Profile:      multiHost,
	Features:     []features.Feature{features.Core, features.Partitions},
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"4815-own-claims-keep-pods-apart"},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 4)
		pairs := offers("pair", "pair")
		for i := range pairs.Devices {
			pairs.Devices[i].Name = fmt.Sprintf("pair-%d", i)
			pairs.Devices[i].NodeSelector = nodesWith(corev1.LabelHostname, stage.Nodes[2*i], stage.Nodes[2*i+1])
		}
		stage.Publish(ctx, suite.Pool{Name: "pairs"}, pairs)
		for _, node := range stage.Nodes {
			stage.Publish(ctx, suite.Pool{Node: node}, offers("seat"))
		}
		_, err := e.Claim(ctx, "pair", suite.Devices(called(stage, "pair")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())

		for _, pod := range []string{"first", "second", "third"} {
			_, err := e.Claim(ctx, "seat-of-"+pod, suite.Devices(called(stage, "seat")))
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
			e.Join(ctx, pod, suite.PodOptions{}, "pair", "seat-of-"+pod)
			if pod != "third" {
				e.Scheduled(ctx, pod)
			}
		}
		got := []string{e.Node(ctx, "first"), e.Node(ctx, "second")}
		gomega.Expect(got).To(gomega.ConsistOf(e.SelectedNodes(ctx, "pair", stage.Nodes)), "each node of the pair has one of the pods")
		e.Refused(ctx, "third", "the seats of the pair's nodes are taken, and the other nodes are not of the pair")
	},
}
