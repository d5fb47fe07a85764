// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// multiHostPodsSeeTheirParts creates four pods that share a claim for a device
// of four nodes, and compares the parts that their containers report with the
// pods' nodes.
var multiHostPodsSeeTheirParts = suite.Spec{
	ID:           "multi-host-pods-see-their-parts",
	Description:  "Four pods that share a claim for a device of four nodes run on these nodes, and each sees the part of the device on its node.",
	Profile:      profile,
	Features:     multiHostFeatures,
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindMultiHost},
	Fields:       []subject.Field{subject.MultiHostQuad, subject.MultiHostPart},
	MinNodes:     4,
	Smoke:        true,
	Requirements: []string{"4815-pods-share-a-multi-host-device"},
	Body: func(ctx context.Context, e *env.Env) {
		expectParts(ctx, e, pods.CreateSharingClaim(ctx, e, "quad", e.Subject.MultiHost.Quad, 4, pods.Options{}))
	},
}

// expectParts waits until the pods of a multi-host device run, and asserts that each of
// them sees the part of the device on its node.
func expectParts(ctx context.Context, e *env.Env, podNames []string) {
	ginkgo.GinkgoHelper()
	var nodes []string
	for _, pod := range podNames {
		pods.WaitForRunning(ctx, e, pod)
		nodes = append(nodes, pods.GetNode(ctx, e, pod))
	}
	ginkgo.By("comparing the devices that the containers see")
	owner := map[string]string{} // by piece
	for i, pod := range podNames {
		part := pods.GetHostPart(ctx, e, pod)
		gomega.Expect(part.Nodes).To(gomega.ConsistOf(nodes), "pod %s should see the nodes of its device", pod)
		gomega.Expect(part.Nodes).To(gomega.Equal(pods.GetHostPart(ctx, e, podNames[0]).Nodes), "all pods should see the nodes in the same order")
		gomega.Expect(part.Node).To(gomega.Equal(nodes[i]), "pod %s should see the part of its own node", pod)
		gomega.Expect(part.Pieces).NotTo(gomega.BeEmpty(), "pod %s should see a part of the device", pod)
		for _, piece := range part.Pieces {
			gomega.Expect(owner).NotTo(gomega.HaveKey(piece), "no other pod should see the part of pod %s", pod)
			owner[piece] = pod
		}
	}
}
