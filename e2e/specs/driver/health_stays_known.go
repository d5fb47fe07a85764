// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// healthStaysKnown runs a pod with a device, waits until the status of the pod has the
// health of the device, and reads it for longer than a kubelet relies on one report of
// the driver.
var healthStaysKnown = suite.Spec{
	ID:           "health-stays-known",
	Description:  "A driver reports the health of devices again before the kubelet stops relying on its last report, so that the health in the status of a pod does not become unknown.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     healthFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: healthCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Since:        healthSince,
	Requirements: []string{"4680-health-is-repeated"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		pods.CreateWithRequests(ctx, e, "pod", []devices.Request{{Name: "device", Device: device}})
		pods.WaitForRunning(ctx, e, "pod")
		getReportedHealth(ctx, e, device.Driver, "pod")
		pods.ExpectHealthStaysKnown(ctx, e, "pod")
	},
}
