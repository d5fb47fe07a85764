// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// multiHostHealthIsOfOfferedDevices does the same as healthIsOfOfferedDevices on a node of
// a multi-host device. The pool of such a device is not that of a node.
var multiHostHealthIsOfOfferedDevices = suite.Spec{
	ID:           "multi-host-health-is-of-offered-devices",
	Description:  "A driver that reports the health of multi-host devices names each device once, with its pool and a time in seconds, and reports only devices as healthy that are offered.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.Partitions},
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindMultiHost},
	Capabilities: agentCapabilities,
	MinNodes:     2,
	Needs:        agentNeeds,
	Body: func(ctx context.Context, e *env.Env) {
		pair := e.Subject.MultiHost.Pair
		before, err := devices.GetInventory(ctx, e)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		running := pods.CreateSharingClaim(ctx, e, "running", pair, 2, pods.Options{})
		for _, pod := range running {
			pods.WaitForRunning(ctx, e, pod)
			nodeagent.ExpectHealthOfOfferedDevices(ctx, e, nodeagent.Plugin{Driver: pair.Driver, Node: pods.GetNode(ctx, e, pod)}, before)
		}
	},
}
