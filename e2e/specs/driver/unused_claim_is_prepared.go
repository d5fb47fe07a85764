// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// unusedClaimIsPrepared runs a pod with a claim that its container does not reference, and
// deletes it.
var unusedClaimIsPrepared = suite.Spec{
	ID:           "unused-claim-is-prepared",
	Description:  "A claim of a pod is prepared although no container references it, and is unprepared when the pod is deleted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverCalls},
	Requirements: []string{"4381-prepared-without-containers"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		createClaim(ctx, e, "claim", devices.Request{Name: "device", Device: device.Device})
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Node: device.node, Change: func(pod *corev1.PodSpec) {
			pod.Containers[0].Resources.Claims = nil
		}}, "claim")
		drivers.WaitForCall(ctx, e, device.Driver, device.node, operations.Prepare, "claim")
		pods.WaitForContainersRunning(ctx, e, "pod")
		drivers.WaitForPrepared(ctx, e, device.Driver, device.node, "claim")
		pods.DeleteWithClaim(ctx, e, "claim", "pod")
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "claim")
	},
}
