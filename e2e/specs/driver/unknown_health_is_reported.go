// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// unknownHealthIsReported runs a pod with a device, makes the driver report the health of
// the device as unknown and then as unhealthy, and reads the health in the status of the
// pod.
var unknownHealthIsReported = suite.Spec{
	ID:           "unknown-health-is-reported",
	Description:  "When a driver cannot find out the health of a device that it has reported as healthy, the status of the pod that uses the device says that it is unknown. When the device turns out to be unhealthy, the status says that.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     healthFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: healthCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Since:        healthSince,
	Needs:        []env.Need{env.NeedsDriverHealth},
	Requirements: []string{"4680-unknown-health"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user, used := device.startHealthy(ctx, e, "user")
		drivers.SetHealth(ctx, e, device.Driver, device.node, operations.Health{used: {Status: operations.UnknownHealth}})
		pods.WaitForHealth(ctx, e, user, corev1.ResourceHealthStatusUnknown)
		drivers.SetUnhealthy(ctx, e, device.Driver, device.node, used)
		pods.WaitForHealth(ctx, e, user, corev1.ResourceHealthStatusUnhealthy)
	},
}
