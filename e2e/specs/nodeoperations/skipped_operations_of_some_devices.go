// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeoperations

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// skippedOperationsOfSomeDevices creates a pod whose claim has two devices of a driver that
// no node has. Kubelets skip the operations for one of them only. Of the device of a second pod,
// they skip only that it is unprepared. A third pod has two claims, for the first of which they
// skip the operations.
var skippedOperationsOfSomeDevices = suite.Spec{
	ID:           "skipped-operations-of-some-devices",
	Description:  "A kubelet does not start a pod whose claim has a device with skipNodeOperations and one without of the same driver until the driver has prepared the claim. It is the same for a device with which only NodeUnprepareResources is skipped, and if the operations for another claim of the pod are skipped.",
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
		publish(ctx, sim, "skipped-later", []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationNodeUnprepareResources}, "skipped-later")
		pods.CreateWithRequests(ctx, e, "prepared-only", fixture.RequestFor(sim, "skipped-later"))
		publish(ctx, sim, "skipped-too", all, "skipped-too")
		publish(ctx, sim, "prepared-too", nil, "prepared-too")
		pods.CreateWithClaims(ctx, e, "two-claims", devices.NewDeviceClaim(fixture.RequestFor(sim, "skipped-too")), devices.NewDeviceClaim(fixture.RequestFor(sim, "prepared-too")))
		pods.WaitForScheduled(ctx, e, "prepared-only", "two-claims")
		for _, pod := range []string{"pod", "prepared-only", "two-claims"} {
			pods.ExpectNotStarted(ctx, e, pod, "") // Kubelets name the driver.
		}
	},
}
