// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// unhealthyDeviceIsReported runs two pods with a device each on one node, makes
// the driver report the device of one of them as unhealthy, then as healthy again and
// finally both devices as unhealthy, and reads the health in the status of both pods. The
// claim of one pod is generated from a template.
var unhealthyDeviceIsReported = suite.Spec{
	ID:           "unhealthy-device-is-reported",
	Description:  "When a driver reports a device as unhealthy, the status of the pod that uses the device says so, and not that of another pod. When the device is healthy again, the status says that. When both are unhealthy, the status of both pods says so.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     healthFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: healthCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Since:        healthSince,
	Needs:        []env.Need{env.NeedsDriverHealth},
	Requirements: []string{"4680-health-is-up-to-date"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user, used := device.startHealthy(ctx, e, "user")
		const other = "other"
		claims.CreateTemplate(ctx, e, "template", devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: device.Device}}))
		pods.CreateFromClaimTemplate(ctx, e, other, "template", device.node)
		pods.WaitForRunning(ctx, e, other)
		pods.WaitForHealth(ctx, e, other, corev1.ResourceHealthStatusHealthy)
		drivers.SetUnhealthy(ctx, e, device.Driver, device.node, used)
		pods.WaitForHealth(ctx, e, user, corev1.ResourceHealthStatusUnhealthy)
		pods.ExpectHealthStays(ctx, e, other, corev1.ResourceHealthStatusHealthy, "only the device of the other pod is unhealthy")
		drivers.SetUnhealthy(ctx, e, device.Driver, device.node)
		pods.WaitForHealth(ctx, e, user, corev1.ResourceHealthStatusHealthy)
		usedByOther := claims.GetAllocation(ctx, e, pods.GetGeneratedClaim(ctx, e, other)).Results[0].Device
		drivers.SetUnhealthy(ctx, e, device.Driver, device.node, used, usedByOther)
		for _, pod := range []string{user, other} {
			pods.WaitForHealth(ctx, e, pod, corev1.ResourceHealthStatusUnhealthy)
		}
	},
}
