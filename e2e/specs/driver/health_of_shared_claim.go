// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// healthOfSharedClaim runs two pods of a node with the same claim, makes the driver report
// the device as unhealthy and as healthy again, and reads the health in the status of both
// pods.
var healthOfSharedClaim = suite.Spec{
	ID:           "health-of-shared-claim",
	Description:  "When a driver reports another health of a device, the status of each pod that uses the claim of the device says so.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     healthFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: []subject.Capability{subject.Health, subject.ClaimSharing},
	MinNodes:     1,
	OneNode:      true,
	Since:        healthSince,
	Needs:        []env.Need{env.NeedsDriverHealth},
	Requirements: []string{"4680-health-is-up-to-date"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		first, used := device.startHealthy(ctx, e, "claim")
		users := []string{first, "second"}
		pods.CreateUsingClaims(ctx, e, users[1], pods.Options{Node: device.node}, "claim")
		pods.WaitForRunning(ctx, e, users[1])
		drivers.SetUnhealthy(ctx, e, device.Driver, device.node, used)
		for _, pod := range users {
			pods.WaitForHealth(ctx, e, pod, corev1.ResourceHealthStatusUnhealthy)
		}
		drivers.SetUnhealthy(ctx, e, device.Driver, device.node)
		for _, pod := range users {
			pods.WaitForHealth(ctx, e, pod, corev1.ResourceHealthStatusHealthy)
		}
	},
}
