// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// forceDeletedPodIsUnprepared deletes a running pod by force, waits until its
// claim is unprepared, and starts another pod with the whole device that the
// pod had a part of.
var forceDeletedPodIsUnprepared = suite.Spec{
	ID:           "force-deleted-pod-is-unprepared",
	Description:  "The driver unprepares the devices of a force-deleted pod, so that other pods of the node can have them.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Fields:       []subject.Field{subject.ExclusiveParents},
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsClaimsInUse},
	Requirements: []string{"4381-unprepared-after-last-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		whole := device.whole(ctx, e, pods.WaitForRunning(ctx, e, device.start(ctx, e, "before"))[0])
		pods.DeleteByForce(ctx, e, "before-0")
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "before")

		pods.WaitForRunning(ctx, e, whole.start(ctx, e, "whole"))
	},
}
