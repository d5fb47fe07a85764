// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// deviceWithoutRequestsIsOfAllRequests removes the names of requests from the answers of the
// driver, and runs a pod with a container for each of two requests.
var deviceWithoutRequestsIsOfAllRequests = suite.Spec{
	ID:           "device-without-requests-is-of-all-requests",
	Description:  "A container that names a request of a claim sees a device for which the driver returns no requests, because the device is for all of them.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: containerCapabilities,
	Sees:         subject.Identified,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        faultNeeds,
	Requirements: []string{"4381-requests-are-optional"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		drivers.InjectFault(ctx, e, device.Driver, device.node, operations.Fault{Method: operations.Prepare, Action: operations.OmitRequests, Count: 100})
		createClaim(ctx, e, "claim", devices.Request{Name: "one", Device: device.Device}, devices.Request{Name: "two", Device: device.Device})
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Node: device.node, Change: func(pod *corev1.PodSpec) {
			addContainer(pod, "one", 0, "one")
			addContainer(pod, "two", 0, "two")
		}}, "claim")
		pods.WaitForRunning(ctx, e, "pod")
		for _, request := range []string{"one", "two"} {
			pods.ExpectContainerDevices(ctx, e, "pod", request, audit.Allocated(claims.Get(ctx, e, "claim")))
		}
	},
}
