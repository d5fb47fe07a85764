// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// answersAreTheSameAgain lets the response to a call to prepare be lost, and
// later that to a call to unprepare. It compares the devices and CDI devices
// of all calls for the claim.
var answersAreTheSameAgain = suite.Spec{
	ID:           "answers-are-the-same-again",
	Description:  "A driver whose responses are lost is called again. It prepares the same devices for the same claim, and succeeds in unpreparing a claim that is unprepared.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        faultNeeds,
	Requirements: []string{"4381-prepare-is-idempotent", "4381-unprepare-is-idempotent"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		lost := operations.Fault{Method: operations.Prepare, Action: operations.Lose, Count: 1, Message: "fault of the spec: lost response"}
		drivers.InjectFault(ctx, e, device.Driver, device.node, lost)
		pod := device.start(ctx, e, "again")
		drivers.WaitForCall(ctx, e, device.Driver, device.node, operations.Prepare, "again")
		pods.TriggerKubeletSync(ctx, e, pod)
		pods.WaitForRunning(ctx, e, pod)
		drivers.ExpectSamePrepareResults(ctx, e, device.Driver, device.node, "again", 2)

		lost.Method = operations.Unprepare
		drivers.InjectFault(ctx, e, device.Driver, device.node, lost)
		pods.DeleteWithClaim(ctx, e, "again", pod)
		got := drivers.GetCalls(ctx, e, device.Driver, device.node, operations.Unprepare, "again")
		gomega.Expect(len(got)).To(gomega.BeNumerically(">", 1), "the kubelet should repeat a call whose response was lost: %v", got)
		for _, call := range got {
			gomega.Expect(call.Succeeded()).To(gomega.BeTrue(), "the driver should unprepare claim again, also if it is already unprepared: %v", got)
		}
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "again")
	},
}
