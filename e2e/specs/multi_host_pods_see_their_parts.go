package specs

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

var multiHostPodsSeeTheirParts = suite.Spec{
	ID:           "multi-host-pods-see-their-parts",
	Sentence:     "Four pods that share a claim for a device of four nodes run on these nodes, and each sees the part of the device on its node.",
	Profile:      multiHost,
	Features:     []features.Feature{features.Core, features.Partitions},
	Judges:       suite.JudgesDriver,
	Kinds:        []subject.Kind{subject.KindMultiHost},
	Nodes:        4,
	Smoke:        true,
	Requirements: []string{"4815-pods-share-a-multi-host-device"},
	Body: func(ctx context.Context, e *suite.Env) {
		pods := e.StartUsers(ctx, "quad", e.Subject.MultiHost.Quad, 4, suite.PodOptions{})
		var nodes []string
		for _, pod := range pods {
			e.Runs(ctx, pod)
			nodes = append(nodes, e.Node(ctx, pod))
		}
		ginkgo.By("comparing what the containers see")
		owner := map[string]string{} // by piece
		for i, pod := range pods {
			part := e.Part(ctx, pod)
			gomega.Expect(part.Nodes).To(gomega.ConsistOf(nodes), "pod %s should be told of the nodes of its device", pod)
			gomega.Expect(part.Nodes).To(gomega.Equal(e.Part(ctx, pods[0]).Nodes), "all pods should be told of the nodes in the same order")
			gomega.Expect(part.Node).To(gomega.Equal(nodes[i]), "pod %s should see the part of its own node", pod)
			gomega.Expect(part.Pieces).NotTo(gomega.BeEmpty(), "pod %s should see what its node has of the device", pod)
			for _, piece := range part.Pieces {
				gomega.Expect(owner).NotTo(gomega.HaveKey(piece), "no other pod should see what pod %s does", pod)
				owner[piece] = pod
			}
		}
	},
}
