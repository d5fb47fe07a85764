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

// configurationIsForItsSubrequests runs a pod whose claim has two requests with
// subrequests for the same devices, so that the first ones are chosen. The claim has a
// configuration for the second subrequest of one of them, one for this subrequest and the
// first one of the other, and one for a third request. No device has several configurations,
// which a driver may refuse.
var configurationIsForItsSubrequests = suite.Spec{
	ID:           "configuration-is-for-its-subrequests",
	Description:  "A configuration in a claim that names a subrequest is for the devices of this subrequest, and for none if another subrequest was chosen. It may name several.",
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
		exclusive := e.Subject.Exclusive
		list := []devices.SubRequest{{Name: "first", Device: exclusive.Device}, {Name: "second", Device: exclusive.Device}}
		claim := devices.NewDeviceClaim([]devices.Request{
			{Name: "plain", FirstAvailable: list}, {Name: "configured", FirstAvailable: list}, {Name: alsoConfigured, Device: exclusive.Device},
		})
		for _, requests := range [][]string{{"plain/second"}, {"plain/second", "configured/first"}, {alsoConfigured}} {
			claim.Config = append(claim.Config, resourceapi.DeviceClaimConfiguration{Requests: requests, DeviceConfiguration: exclusive.Configured.Config})
		}
		expectConfiguredOf(ctx, e, "pod", claim)
	},
}
