// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// absentDriverKeepsDevicesHeld removes the driver from a node, deletes a pod
// that uses one of its devices, and starts the driver again. The driver must
// then be called to unprepare the claim, and another pod gets the whole
// device.
var absentDriverKeepsDevicesHeld = suite.Spec{
	ID:           "absent-driver-keeps-devices-held",
	Description:  "A pod that ends while its driver is not on its node stays, and its devices stay allocated, until the driver is back and has unprepared them.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Fields:       []subject.Field{subject.ExclusiveParents},
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverStop, env.NeedsDriverCalls},
	Requirements: []string{"4381-unprepared-before-pod-is-gone", "4381-driver-found-again"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		whole := device.whole(ctx, e, pods.WaitForRunning(ctx, e, device.start(ctx, e, "before"))[0])
		absent := drivers.Stop(ctx, e, device.Driver, device.node)
		pods.DeleteWithoutWaiting(ctx, e, "before-0")
		pods.ExpectDeletionBlocked(ctx, e, "before-0", "before", "its driver does not run and cannot unprepare them")
		absent.Start(ctx)

		pods.WaitForDeleted(ctx, e, "before-0")
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "before")
		got := drivers.GetCalls(ctx, e, device.Driver, device.node, operations.Unprepare, "before")
		gomega.Expect(got).NotTo(gomega.BeEmpty(), "the kubelet should unprepare claim before when the driver runs again")
		pods.WaitForRunning(ctx, e, whole.start(ctx, e, "whole"))
	},
}
