// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// multiHostAllDevicesOfTheNode publishes devices of one node and of two nodes
// in one pool. Pods on three nodes request all devices, and the pod that must
// wait gets its devices when another claim is deleted.
var multiHostAllDevicesOfTheNode = suite.Spec{
	ID:           "multi-host-all-devices-of-the-node",
	Description:  "A request for all devices of a pool of several nodes gets the devices of the pod's node, and does not wait for others.",
	Profile:      profile,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"4815-device-on-its-node", "4815-device-on-selected-nodes", "4815-all-devices-or-none"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 3)
		inventory := fixture.Devices("first", "second", "pair")
		inventory.Devices[0].NodeName = &sim.Names[0]
		inventory.Devices[1].NodeName = &sim.Names[1]
		inventory.Devices[2].NodeSelector = nodeSelector(corev1.LabelHostname, sim.Names[1:]...)
		sim.CreatePool(ctx, simulated.Pool{Name: "pool"}, inventory)
		ofPool := func(names ...string) (devices []audit.DeviceID) {
			for _, name := range names {
				devices = append(devices, audit.DeviceID{Driver: sim.Driver, Pool: "pool", Device: name})
			}
			return devices
		}

		fixture.CreatePodForAllDevices(ctx, e, sim, sim.Names[2], "on-third")
		gomega.Expect(pods.WaitForScheduled(ctx, e, "on-third")).To(gomega.ConsistOf(ofPool("pair")), "the device of the third node")
		fixture.CreatePodForAllDevices(ctx, e, sim, sim.Names[1], "on-second")
		pods.WaitForUnschedulable(ctx, e, "on-second", "claim on-third has one of the two devices of its node")
		fixture.CreatePodForAllDevices(ctx, e, sim, sim.Names[0], "on-first")
		gomega.Expect(pods.WaitForScheduled(ctx, e, "on-first")).To(gomega.ConsistOf(ofPool("first")), "the device of the first node")
		pods.DeleteWithClaim(ctx, e, "on-third")
		gomega.Expect(pods.WaitForScheduled(ctx, e, "on-second")).To(gomega.ConsistOf(ofPool("second", "pair")), "the devices of the second node")
	},
}
