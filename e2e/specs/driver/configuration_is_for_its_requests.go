// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// configurationIsForItsRequests runs a pod whose claim has a configuration that
// names no request, and one whose claim has a configuration that names a request
// with subrequests and another request without a configuration.
var configurationIsForItsRequests = suite.Spec{
	ID:           "configuration-is-for-its-requests",
	Description:  "A configuration in a claim that names no request is for the devices of all requests. One that names a request with subrequests is for the devices of each of its subrequests.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.PrioritizedList},
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
		config := resourceapi.DeviceClaimConfiguration{DeviceConfiguration: e.Subject.Exclusive.Configured.Config}
		all := devices.NewDeviceClaim([]devices.Request{{Name: "configured", Device: device}})
		all.Config = append(all.Config, config)
		expectConfiguredOf(ctx, e, "all", all)

		list := devices.NewDeviceClaim([]devices.Request{
			{Name: "plain", Device: device},
			{Name: "configured", FirstAvailable: []devices.SubRequest{{Name: "first", Device: device}, {Name: "second", Device: device}}},
		})
		config.Requests = []string{"configured"}
		list.Config = append(list.Config, config)
		expectConfiguredOf(ctx, e, "list", list)
	},
}
