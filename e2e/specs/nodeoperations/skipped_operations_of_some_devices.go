// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeoperations

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// skippedOperationsOfSomeDevices creates a pod whose claim has two devices of a driver that
// no node has. Kubelets skip the operations for one of them only.
var skippedOperationsOfSomeDevices = suite.Spec{
	ID:           "skipped-operations-of-some-devices",
	Description:  "A kubelet does not start a pod whose claim has a device with skipNodeOperations and one without of the same driver until the driver has prepared the claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     operationFeatures,
	Component:    env.Kubelet,
	MinNodes:     1,
	Needs:        kubeletNeeds,
	Requirements: []string{"5945-mixed-devices-are-called-for"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateDriver(ctx, e)
		publish(ctx, sim, "skipped", all, "skipped")
		publish(ctx, sim, "prepared", nil, "prepared")
		var requests []devices.Request
		for _, name := range []string{"skipped", "prepared"} {
			requests = append(requests, devices.Request{Name: name, Device: fixture.RequestFor(sim, name)[0].Device})
		}
		pods.CreateWithRequests(ctx, e, "pod", requests)
		pods.WaitForScheduled(ctx, e, "pod")
		pods.ExpectNotStarted(ctx, e, "pod", "") // Kubelets name the driver.
	},
}
