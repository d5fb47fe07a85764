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

// deviceStatusIsOfEachShare runs a pod with a claim for two shares, of the same
// device or of two, and waits until the claim has the status of both.
var deviceStatusIsOfEachShare = suite.Spec{
	ID:           "device-status-is-of-each-share",
	Description:  "A driver that reports the status of devices in their claims reports that of each share of a device, under the ID of the share.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.SharedDevices}, statusFeatures...),
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindShared},
	Capabilities: statusCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4817-status-of-each-device"},
	Body: func(ctx context.Context, e *env.Env) {
		share := deviceOnNode{Device: e.Subject.Shared.Share}
		pods.CreateWithRequests(ctx, e, "pod", []devices.Request{{Name: "one", Device: share.Device}, {Name: "two", Device: share.Device}})
		pods.WaitForContainersRunning(ctx, e, "pod")
		share.waitForStatus(ctx, e, "pod", "pod")
		claims.WaitForStatusOfEachDevice(ctx, e, "pod", share.Driver)
	},
}
