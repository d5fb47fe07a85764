// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"
	"fmt"
	"time"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// deviceStatusKeepsTimes runs a pod with a device, prepares its claim twice again as a
// restarted kubelet does, and compares the conditions in the status of the device from one
// state of the claim to the next. Their times are in whole seconds, so it waits at least one
// in between.
var deviceStatusKeepsTimes = suite.Spec{
	ID:           "device-status-keeps-times",
	Description:  "When a driver is called again for a claim that it has prepared, the conditions of the device in the claim keep their transition times unless their status changes.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.DeviceStatus},
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: []subject.Capability{subject.NodeOperations, subject.DeviceStatus},
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4817-transition-times"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		states := claims.WatchStates(ctx, e, "claim")
		running := device.run(ctx, e, "claim")
		reported := claims.WaitForDeviceStatus(ctx, e, "claim", device.Driver)
		if len(reported) == 0 {
			env.FindOutCapability(e, device.Driver, subject.DeviceStatus, fmt.Sprintf("claim claim of a running pod got no status of a device in %s", e.Patience(device.Driver, subject.DeviceStatus)))
		}
		for range 2 {
			nodeagent.WaitForPrepared(ctx, e, device.plugin, running)
			select {
			case <-time.After(max(e.Timeouts.Stable, time.Second)):
			case <-ctx.Done():
			}
		}
		claims.ExpectTransitionTimesStay("claim", states(), fmt.Sprintf("being prepared again by driver %s", device.Driver))
	},
}
