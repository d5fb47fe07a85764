package specs

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var multiHostClaimIsWhereAllDevicesAre = suite.Spec{
	ID:           "multi-host-claim-is-where-all-devices-are",
	Sentence:     "The node selector of a claim with several devices selects the nodes that have all of them: one node if a device is local to a node.",
	Profile:      multiHost,
	Features:     []features.Feature{features.Core, features.Partitions},
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"4815-allocation-selects-the-devices-nodes", "4815-device-on-its-node", "4815-device-on-selected-nodes"},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 3)
		nodes := stage.Nodes
		inventory := offers("left", "right", "wide", "local")
		inventory.Devices[0].NodeSelector = nodesWith(corev1.LabelHostname, nodes[0], nodes[1])
		inventory.Devices[1].NodeSelector = nodesWith(corev1.LabelHostname, nodes[1], nodes[2])
		inventory.Devices[2].NodeSelector = nodesWith(corev1.LabelHostname, nodes...)
		inventory.Devices[3].NodeName = &nodes[2]
		stage.Publish(ctx, suite.Pool{Name: "pool"}, inventory)

		device := func(name string) suite.Request {
			request := called(stage, name)[0]
			request.Name = name
			return request
		}
		for claim, want := range map[string]struct {
			requests        []suite.Request
			node, elsewhere string
		}{
			"both":  {[]suite.Request{device("left"), device("right")}, nodes[1], nodes[0]},
			"mixed": {[]suite.Request{device("wide"), device("local")}, nodes[2], nodes[1]},
		} {
			e.Start(ctx, claim, want.requests)
			e.Scheduled(ctx, claim)
			gomega.Expect(e.SelectedNodes(ctx, claim, nodes)).To(gomega.Equal([]string{want.node}), "the allocation of claim %s should select the node that has both devices", claim)
			e.Join(ctx, claim+"-elsewhere", suite.PodOptions{Node: want.elsewhere}, claim)
			e.Join(ctx, claim+"-joined", suite.PodOptions{Node: want.node}, claim)
		}
		e.AllRefused(ctx, "their nodes have one of the two devices of their claim", "both-elsewhere", "mixed-elsewhere")
		e.AllScheduled(ctx, "both-joined", "mixed-joined")
	},
}
