// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// claimConfigurationReachesContainer runs a pod with a claim for three devices, of which
// the second has a configuration in the claim, and with a container for each of them. The
// driver file says what containers see of the configuration.
var claimConfigurationReachesContainer = suite.Spec{
	ID:           "claim-configuration-reaches-container",
	Description:  "A container sees the configuration that its claim has for the request of its device. A container with the device of another request of the claim does not see it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Fields:       configuredFields,
	Capabilities: containerCapabilities,
	Devices:      3,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-configuration-of-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		configured := device
		configured.Config = append(slices.Clip(configured.Config), e.Subject.Exclusive.Configured.Config)
		expectConfigured(ctx, e, configured, device)
	},
}
