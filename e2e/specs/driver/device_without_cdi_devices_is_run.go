// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// deviceWithoutCDIDevicesIsRun removes the CDI devices from the answers of the driver
// and runs a pod. What its container sees is not compared: it sees no devices.
var deviceWithoutCDIDevicesIsRun = suite.Spec{
	ID:           "device-without-cdi-devices-is-run",
	Description:  "A pod runs although its driver returns no CDI devices for a device that it has prepared, and its claim is unprepared when the pod is deleted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        faultNeeds,
	Requirements: []string{"4381-cdi-devices-are-optional"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		drivers.InjectFault(ctx, e, device.Driver, device.node, operations.Fault{Method: operations.Prepare, Action: operations.OmitCDIDevices, Count: 100})
		pod := device.start(ctx, e, "claim")
		pods.WaitForContainersRunning(ctx, e, pod)
		for _, call := range drivers.GetCalls(ctx, e, device.Driver, device.node, operations.Prepare, "claim") {
			gomega.Expect(call.CDIDevices).To(gomega.BeEmpty(), "the driver should have returned no CDI devices")
		}
		pods.DeleteWithClaim(ctx, e, "claim", pod)
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "claim")
	},
}
