// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classConfigurationReachesContainer runs a pod with a claim for three devices, of which the
// second is requested by a class with a configuration, and with a container for each
// of them. The driver file says what containers see of the configuration.
var classConfigurationReachesContainer = suite.Spec{
	ID:           "class-configuration-reaches-container",
	Description:  "A container sees the configuration that the DeviceClass of its device has. A container with a device of another class does not see it.",
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
	Needs:        []env.Need{env.NeedsDeviceClasses},
	Requirements: []string{"4381-configuration-of-classes"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		config := resourceapi.DeviceClassConfiguration{DeviceConfiguration: e.Subject.Exclusive.Configured.Config}
		expectConfigured(ctx, e, claims.CreateDeviceClass(ctx, e, "configured", device, config), device)
	},
}
