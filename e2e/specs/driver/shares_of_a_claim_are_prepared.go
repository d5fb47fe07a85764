// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// sharesOfAClaimArePrepared runs a pod with a claim for two shares, of the same
// device or of two, and a container for each of them.
var sharesOfAClaimArePrepared = suite.Spec{
	ID:           "shares-of-a-claim-are-prepared",
	Description:  "A driver prepares each share of a claim that has several, and a container that names the request of a share sees its device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.SharedDevices},
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindShared},
	Capabilities: containerCapabilities,
	Sees:         subject.Present,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-containers-name-requests"},
	Body: func(ctx context.Context, e *env.Env) {
		share := e.Subject.Shared.Share
		pods.CreateWithContainerPerRequest(ctx, e, "pod", []devices.Request{{Name: "one", Device: share}, {Name: "two", Device: share}})
		pods.WaitForContainersRunning(ctx, e, "pod")
		for _, request := range []string{"one", "two"} {
			pods.ExpectContainerDevices(ctx, e, "pod", request, claims.GetDevicesForRequest(ctx, e, "pod", request))
		}
	},
}
