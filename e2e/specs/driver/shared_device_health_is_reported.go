// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// sharedDeviceHealthIsReported runs two pods with shares of the same device, makes the driver
// report the device as unhealthy, and reads the health in the status of both pods.
var sharedDeviceHealthIsReported = suite.Spec{
	ID:           "shared-device-health-is-reported",
	Description:  "When a driver reports a device as unhealthy that claims share, the status of each pod with a share of it says so.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append(slices.Clone(healthFeatures), features.SharedDevices),
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindShared},
	Fields:       []subject.Field{subject.SharedIdentity},
	Capabilities: healthCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Since:        healthSince,
	Needs:        []env.Need{env.NeedsDriverHealth},
	Requirements: []string{"4680-health-is-up-to-date"},
	Body: func(ctx context.Context, e *env.Env) {
		share := findShareOnNode(ctx, e)
		first := share.run(ctx, e, "first").Pod
		second := share.ofDeviceOf(ctx, e, "first").run(ctx, e, "second").Pod
		for _, pod := range []string{first, second} {
			pods.WaitForHealth(ctx, e, pod, corev1.ResourceHealthStatusHealthy)
		}
		drivers.SetUnhealthy(ctx, e, share.Driver, share.node, claims.GetAllocation(ctx, e, "first").Results[0].Device)
		for _, pod := range []string{first, second} {
			pods.WaitForHealth(ctx, e, pod, corev1.ResourceHealthStatusUnhealthy)
		}
	},
}
