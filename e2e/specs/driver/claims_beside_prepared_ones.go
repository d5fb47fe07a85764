// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"strings"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// claimsBesidePreparedOnes runs a pod, and then two more on its node that use the same claim
// and one of their own. The shared claim is the first one of one pod, and the last one of the
// other.
var claimsBesidePreparedOnes = suite.Spec{
	ID:           "claims-beside-prepared-ones",
	Description:  "A claim of a pod is prepared although another claim of the pod is prepared already, whichever comes first. The pod sees the devices of both.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: sharingCapabilities,
	Devices:      3,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-prepared-beside-others"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		for _, own := range []string{"own-1", "own-2"} {
			createClaim(ctx, e, own, devices.Request{Name: "device", Device: device.Device})
		}
		pods.WaitForRunning(ctx, e, device.start(ctx, e, "shared"))
		for _, names := range [][]string{{"shared", "own-1"}, {"own-2", "shared"}} {
			pod := strings.Join(names, "-and-")
			pods.CreateUsingClaims(ctx, e, pod, pods.Options{Node: device.node}, names...)
			pods.WaitForRunning(ctx, e, pod)
			for _, claim := range names {
				drivers.WaitForPrepared(ctx, e, device.Driver, device.node, claim)
			}
		}
	},
}
