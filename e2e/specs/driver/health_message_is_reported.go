// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// healthMessageIsReported runs two pods with a device each on one node, makes the driver
// report a device with one message, then with others and finally with none, and reads
// the messages in the status of both pods. The last message is longer than that in a status
// can be.
var healthMessageIsReported = suite.Spec{
	ID:           "health-message-is-reported",
	Description:  "The status of a pod has the driver's message about the health of the device that the pod uses, and that of another pod has not. It changes with the message, is shortened if it is too long, and goes with it.",
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
		long := strings.Repeat("its fan is slow. ", 100)
		drivers.SetHealth(ctx, e, device.Driver, device.node, operations.Health{used: {Status: operations.Unhealthy, Message: long}})
		pods.WaitForShortenedHealthMessage(ctx, e, user, long)
		pods.ExpectHealthMessageStays(ctx, e, other, "", "the message is about the device of the other pod")
		drivers.SetUnhealthy(ctx, e, device.Driver, device.node)
		pods.WaitForHealthMessage(ctx, e, user, "")
	},
}
