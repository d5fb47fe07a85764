// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// healthMessageIsReported runs two pods with a device each on one node, makes the driver
// report a device with one message, then with another one and finally with none, and reads
// the messages in the status of both pods.
var healthMessageIsReported = suite.Spec{
	ID:           "health-message-is-reported",
	Description:  "The status of a pod has the driver's message about the health of the device that the pod uses, and that of another pod has not. It changes with the message, and goes with it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append(slices.Clone(healthFeatures), features.DeviceHealthMessage),
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: healthCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Since:        healthSince,
	Needs:        []env.Need{env.NeedsDriverHealth},
	Requirements: []string{"4680-messages"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user, used := device.startHealthy(ctx, e, "user")
		other, _ := device.startHealthy(ctx, e, "other")
		for _, message := range []string{"its memory has errors", "its link is down"} {
			drivers.SetHealth(ctx, e, device.Driver, device.node, operations.Health{used: {Status: operations.Unhealthy, Message: message}})
			pods.WaitForHealthMessage(ctx, e, user, message)
			pods.WaitForHealth(ctx, e, user, corev1.ResourceHealthStatusUnhealthy)
		}
		pods.ExpectHealthMessageStays(ctx, e, other, "", "the message is about the device of the other pod")
		drivers.SetUnhealthy(ctx, e, device.Driver, device.node)
		pods.WaitForHealthMessage(ctx, e, user, "")
	},
}
