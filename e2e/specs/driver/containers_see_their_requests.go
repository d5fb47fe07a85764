// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// containersSeeTheirRequests creates a pod with a container for each of two
// requests of a claim and one for the whole claim, and compares the devices
// that they report with the allocation.
var containersSeeTheirRequests = suite.Spec{
	ID:           "containers-see-their-requests",
	Description:  "A container that names a request of a claim sees only the device of that request. A container that names the claim sees all of its devices.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: containerCapabilities,
	Sees:         subject.Identified,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-containers-name-requests", "4381-cdi-devices-reach-containers"},
	Body: func(ctx context.Context, e *env.Env) {
		// The devices of the two requests differ only in their request names, of
		// which one is the beginning of the other.
		same := e.Subject.Exclusive.Device
		pods.CreateWithContainerPerRequest(ctx, e, "pod", []devices.Request{{Name: "one", Device: same}, {Name: "one-more", Device: same}})
		pods.WaitForRunning(ctx, e, "pod")
		for _, request := range []string{"one", "one-more"} {
			pods.ExpectContainerDevices(ctx, e, "pod", request, claims.GetDevicesForRequest(ctx, e, "pod", request))
		}
	},
}
