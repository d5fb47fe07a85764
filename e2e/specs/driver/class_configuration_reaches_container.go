// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classConfigurationReachesContainer runs a pod with a claim for three devices, of which the
// second is requested by a class with a configuration, and with a container for each
// of them. The driver file says what containers see of the configuration. Then it deletes the pod,
// and runs one whose claim has the same configuration for another of its requests: the allocation
// has that of the class and that of the claim, each for one request.
var classConfigurationReachesContainer = suite.Spec{
	ID:           "class-configuration-reaches-container",
	Description:  "A container sees the configuration that the DeviceClass of its device has. A container with a device of another class does not see it. This is also so if the claim has a configuration for another of its requests.",
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
		ofClass := claims.CreateDeviceClass(ctx, e, "configured", device, config)
		expectConfigured(ctx, e, ofClass, device)
		pods.DeleteWithClaim(ctx, e, "pod")

		ofClaim := device
		ofClaim.Config = append(slices.Clip(device.Config), config.DeviceConfiguration)
		expectConfiguredOf(ctx, e, "both", devices.NewDeviceClaim([]devices.Request{
			{Name: "plain", Device: device}, {Name: "configured", Device: ofClass}, {Name: alsoConfigured, Device: ofClaim},
		}))
	},
}
