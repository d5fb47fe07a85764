// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// healthOutlivesKubeletRestart kills the kubelet of a node while the device of a pod is
// unhealthy, and makes the driver report the device as healthy to the new kubelet.
var healthOutlivesKubeletRestart = suite.Spec{
	ID:           "health-outlives-kubelet-restart",
	Description:  "After a kubelet was killed, the status of a running pod says what the driver reported about its device before, and what it reports next.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     healthFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: healthCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Since:        healthSince,
	Needs:        []env.Need{env.NeedsDriverHealth, env.NeedsNodes},
	Requirements: []string{"4680-health-after-restarts"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user, used := device.startHealthy(ctx, e, "user")
		drivers.SetUnhealthy(ctx, e, device.Driver, device.node, used)
		pods.WaitForHealth(ctx, e, user, corev1.ResourceHealthStatusUnhealthy)
		components.RestartKubelet(ctx, e, device.node)
		pods.WaitForHealth(ctx, e, user, corev1.ResourceHealthStatusUnhealthy)
		drivers.SetUnhealthy(ctx, e, device.Driver, device.node)
		pods.WaitForHealth(ctx, e, user, corev1.ResourceHealthStatusHealthy)
	},
}
