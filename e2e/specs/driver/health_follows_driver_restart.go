// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// healthFollowsDriverRestart kills the driver of a node while it reports the device of a
// pod as unhealthy. The new process reports it as healthy, and later as unhealthy.
var healthFollowsDriverRestart = suite.Spec{
	ID:           "health-follows-driver-restart",
	Description:  "After a driver was killed, the status of a running pod says what the new process of the driver reports about its device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     healthFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: healthCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Since:        healthSince,
	Needs:        []env.Need{env.NeedsDriverHealth, env.NeedsDriverRestart},
	Requirements: []string{"4680-health-after-restarts"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user, used := device.startHealthy(ctx, e, "user")
		drivers.SetUnhealthy(ctx, e, device.Driver, device.node, used)
		pods.WaitForHealth(ctx, e, user, corev1.ResourceHealthStatusUnhealthy)
		drivers.Restart(ctx, e, device.Driver, device.node)
		// Processes of drivers with a control endpoint begin with healthy devices.
		pods.WaitForHealth(ctx, e, user, corev1.ResourceHealthStatusHealthy)
		drivers.SetUnhealthy(ctx, e, device.Driver, device.node, used)
		pods.WaitForHealth(ctx, e, user, corev1.ResourceHealthStatusUnhealthy)
	},
}
