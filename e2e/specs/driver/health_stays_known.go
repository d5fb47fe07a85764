// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// healthStaysKnown runs a pod with two devices, or one if there is only one, waits until the
// status of the pod has the health of a device, and reads it for longer than a kubelet relies
// on one report of the driver.
var healthStaysKnown = suite.Spec{
	ID:           "health-stays-known",
	Description:  "A driver reports the health of devices again before the kubelet stops relying on its last report, so that the health of no device in the status of a pod becomes unknown.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append(slices.Clone(healthFeatures), features.PrioritizedList),
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: healthCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Since:        healthSince,
	Requirements: []string{"4680-health-is-repeated"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		pods.CreateWithRequests(ctx, e, "pod", []devices.Request{{Name: "device", FirstAvailable: []devices.SubRequest{
			{Name: "two", Device: device, Count: 2}, {Name: "one", Device: device},
		}}})
		pods.WaitForRunning(ctx, e, "pod")
		getReportedHealth(ctx, e, device.Driver, "pod")
		pods.ExpectHealthStaysKnown(ctx, e, "pod")
	},
}
