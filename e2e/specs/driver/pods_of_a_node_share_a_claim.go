// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// podsOfANodeShareAClaim runs two pods of one node with the same claim. Then the
// first pod is deleted, and a third one must run with the device too.
var podsOfANodeShareAClaim = suite.Spec{
	ID:           "pods-of-a-node-share-a-claim",
	Description:  "Pods of one node that share a claim all run with its device, also those that start after others have ended.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: sharingCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		first := device.start(ctx, e, "shared")
		pods.WaitForRunning(ctx, e, first)
		use := pods.Options{Node: device.node}
		pods.CreateUsingClaims(ctx, e, "second", use, "shared")
		pods.WaitForRunning(ctx, e, "second")
		pods.Delete(ctx, e, first)
		pods.CreateUsingClaims(ctx, e, "third", use, "shared")
		pods.WaitForRunning(ctx, e, "third")
	},
}
