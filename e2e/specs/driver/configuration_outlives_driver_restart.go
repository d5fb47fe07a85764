// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// configurationOutlivesDriverRestart runs a pod with a configured device whose container
// ends and is restarted again and again, and restarts the driver. The kubelet does not have
// the driver prepare the claim again for that.
var configurationOutlivesDriverRestart = suite.Spec{
	ID:           "configuration-outlives-driver-restart",
	Description:  "A container that is restarted after the driver was restarted sees the configuration of its claim again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Fields:       configuredFields,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverRestart},
	Requirements: []string{"4381-configuration-of-claims", "4381-started-again-with-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		device.Config = append(slices.Clip(device.Config), e.Subject.Exclusive.Configured.Config)
		pod := device.startRestarting(ctx, e)
		pods.ExpectConfigured(ctx, e, pod, pods.MainContainer, true)
		device.restartDriverAndContainer(ctx, e, pod)
		pods.ExpectConfigured(ctx, e, pod, pods.MainContainer, true)
	},
}
