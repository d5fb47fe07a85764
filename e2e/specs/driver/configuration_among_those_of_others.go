// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// configurationAmongThoseOfOthers runs a pod whose claim has parameters for the driver
// of its device between parameters for another driver.
var configurationAmongThoseOfOthers = suite.Spec{
	ID:           "configuration-among-those-of-others",
	Description:  "A container sees the configuration that its claim has for the driver, also if the claim has parameters for another driver before it and after it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Fields:       configuredFields,
	Capabilities: containerCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-configuration-of-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		exclusive := e.Subject.Exclusive
		claim := devices.NewDeviceClaim([]devices.Request{{Name: "configured", Device: exclusive.Device}})
		own := resourceapi.DeviceClaimConfiguration{DeviceConfiguration: exclusive.Configured.Config}
		claim.Config = append(claim.Config, ofAnotherDriver, own, ofAnotherDriver)
		expectConfiguredOf(ctx, e, "pod", claim)
	},
}
