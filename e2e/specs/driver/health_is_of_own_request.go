// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// healthIsOfOwnRequest runs a pod with a container for each of two requests of a claim,
// makes the driver report the device of one of them as unhealthy, and reads the health in
// the status of both containers.
var healthIsOfOwnRequest = suite.Spec{
	ID:           "health-is-of-own-request",
	Description:  "The status of a container that uses one request of a claim has the health of the device of this request only, under the names of claim and request.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     healthFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: append(slices.Clip(healthCapabilities), containerCapabilities...),
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Since:        healthSince,
	Needs:        []env.Need{env.NeedsDriverHealth},
	Requirements: []string{"4680-health-of-requests"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		pods.CreateWithContainerPerRequest(ctx, e, "pod", []devices.Request{{Name: "one", Device: device}, {Name: "two", Device: device}})
		pods.WaitForRunning(ctx, e, "pod")
		for _, request := range []string{"one", "two"} {
			pods.WaitForRequestHealth(ctx, e, "pod", request, request, corev1.ResourceHealthStatusHealthy)
		}
		broken := claims.GetDevicesForRequest(ctx, e, "pod", "one")[0]
		drivers.SetUnhealthy(ctx, e, device.Driver, pods.GetNode(ctx, e, "pod"), broken.Device)
		pods.WaitForRequestHealth(ctx, e, "pod", "one", "one", corev1.ResourceHealthStatusUnhealthy)
		pods.ExpectRequestHealthStays(ctx, e, "pod", "two", "two", corev1.ResourceHealthStatusHealthy, "only the device of the other request is unhealthy")
	},
}
