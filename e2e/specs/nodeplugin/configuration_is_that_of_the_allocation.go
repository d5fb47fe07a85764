// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// configurationIsThatOfTheAllocation has a claim for a DeviceClass with a configuration
// allocated, and removes the configuration from the class. Then a pod uses the claim.
var configurationIsThatOfTheAllocation = suite.Spec{
	ID:           "configuration-is-that-of-the-allocation",
	Description:  "A container sees the configuration that the DeviceClass of its device had when the device was allocated, although the class has changed before the device is prepared.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Fields:       []subject.Field{subject.ExclusiveConfigured},
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        append([]env.Need{env.NeedsDeviceClasses}, agentNeeds...),
	Requirements: []string{"4381-configuration-of-the-allocation"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		config := resourceapi.DeviceClassConfiguration{DeviceConfiguration: e.Subject.Exclusive.Configured.Config}
		device.Device = claims.CreateDeviceClass(ctx, e, "configured", device.Device, config)
		device.hold(ctx, e, "claim")
		claims.UpdateDeviceClass(ctx, e, device.Class, func(spec *resourceapi.DeviceClassSpec) { spec.Config = nil })
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Node: device.plugin.Node}, "claim")
		pods.WaitForRunning(ctx, e, "pod")
		pods.ExpectConfigured(ctx, e, "pod", pods.MainContainer, true)
		// At the end of the spec the claim is unprepared, which must not happen while a
		// pod runs.
		pods.Delete(ctx, e, "pod")
	},
}
