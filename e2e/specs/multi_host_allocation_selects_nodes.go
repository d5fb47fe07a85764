package specs

import (
	"context"
	"fmt"
	"strconv"

	"github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var multiHostAllocationSelectsNodes = suite.Spec{
	ID:           "multi-host-allocation-selects-nodes",
	Sentence:     "A device of a ResourceSlice with perDeviceNodeSelection is available where the device states: on a node by name, on nodes by selector, or on all nodes. The allocation has this node selector.",
	Profile:      multiHost,
	Smoke:        true,
	Features:     []features.Feature{features.Core, features.Partitions},
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"4815-allocation-selects-the-devices-nodes", "4815-device-on-its-node", "4815-device-on-selected-nodes", "4815-device-on-all-nodes"},
	Body: func(ctx context.Context, e *suite.Env) {
		const half = "draconform.dev/half"
		stage := e.Stage(ctx, 4, func(node int) map[string]string { return map[string]string{half: strconv.Itoa(node / 2)} })
		nodes := stage.Nodes
		inventory := offers("named", "selected", "everywhere")
		inventory.Devices[0].NodeName = &nodes[1]
		inventory.Devices[1].NodeSelector = nodesWith(half, "1")
		inventory.Devices[2].AllNodes = ptr.To(true)
		stage.Publish(ctx, suite.Pool{Name: "pool"}, inventory)

		wrong := e.StartUsers(ctx, "named-elsewhere", called(stage, "named")[0].Device, 1, suite.PodOptions{Node: nodes[0]})
		wrong = append(wrong, e.StartUsers(ctx, "selected-elsewhere", called(stage, "selected")[0].Device, 1, suite.PodOptions{Node: nodes[1]})...)
		e.AllRefused(ctx, "their nodes do not have the devices", wrong...)

		for name, want := range map[string][]string{"named": {nodes[1]}, "selected": {nodes[2], nodes[3]}, "everywhere": nodes} {
			e.Start(ctx, name, called(stage, name))
			e.Scheduled(ctx, name)
			gomega.Expect(e.SelectedNodes(ctx, name, nodes)).To(gomega.Equal(want), "the allocation of claim %s should select the nodes of its device", name)
			for i, node := range want {
				user := fmt.Sprintf("%s-%d", name, i)
				e.Join(ctx, user, suite.PodOptions{Node: node}, name)
				e.Scheduled(ctx, user)
			}
		}
	},
}
