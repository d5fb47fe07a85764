package specs

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var multiHostAllDevicesOfTheNode = suite.Spec{
	ID:           "multi-host-all-devices-of-the-node",
	Sentence:     "A request for all devices of a pool of several nodes gets the devices of the pod's node, and does not wait for others.",
	Profile:      multiHost,
	Features:     []features.Feature{features.Core, features.Partitions},
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage, suite.NeedsWholePools},
	Requirements: []string{"4815-device-on-its-node", "4815-device-on-selected-nodes", "4815-all-devices-or-none"},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 3)
		inventory := offers("first", "second", "pair")
		inventory.Devices[0].NodeName = &stage.Nodes[0]
		inventory.Devices[1].NodeName = &stage.Nodes[1]
		inventory.Devices[2].NodeSelector = nodesWith(corev1.LabelHostname, stage.Nodes[1:]...)
		stage.Publish(ctx, suite.Pool{Name: "pool"}, inventory)
		ofPool := func(names ...string) (devices []audit.DeviceID) {
			for _, name := range names {
				devices = append(devices, audit.DeviceID{Driver: stage.Driver, Pool: "pool", Device: name})
			}
			return devices
		}

		startAllOn(ctx, e, stage, stage.Nodes[2], "on-third")
		gomega.Expect(e.Scheduled(ctx, "on-third")).To(gomega.ConsistOf(ofPool("pair")), "the device of the third node")
		startAllOn(ctx, e, stage, stage.Nodes[1], "on-second")
		e.Refused(ctx, "on-second", "claim on-third has one of the two devices of its node")
		startAllOn(ctx, e, stage, stage.Nodes[0], "on-first")
		gomega.Expect(e.Scheduled(ctx, "on-first")).To(gomega.ConsistOf(ofPool("first")), "the device of the first node")
		e.Removed(ctx, "on-third")
		gomega.Expect(e.Scheduled(ctx, "on-second")).To(gomega.ConsistOf(ofPool("second", "pair")), "the devices of the second node")
	},
}
