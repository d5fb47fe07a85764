// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// claimOfManyDevicesIsPrepared runs a pod whose claim requests as many devices as
// the node has of some numbers: it has a prioritized list of these numbers.
var claimOfManyDevicesIsPrepared = suite.Spec{
	ID:           "claim-of-many-devices-is-prepared",
	Description:  "A pod whose claim has up to eight devices runs with all of them.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.PrioritizedList},
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Devices:      3,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-cdi-devices-reach-containers"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		pods.CreateWithRequests(ctx, e, "pod", []devices.Request{{Name: "many", FirstAvailable: []devices.SubRequest{
			{Name: "eight", Device: device, Count: 8}, {Name: "five", Device: device, Count: 5}, {Name: "three", Device: device, Count: 3},
		}}})
		pods.WaitForRunning(ctx, e, "pod")
	},
}
