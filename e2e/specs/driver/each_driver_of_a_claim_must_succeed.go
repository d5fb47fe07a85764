// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// eachDriverOfAClaimMustSucceed runs a pod with a claim for devices of two drivers, of which the
// first one fails to prepare the claim for a while, and later to unprepare it. It does the same
// with a pod for which the second driver fails.
var eachDriverOfAClaimMustSucceed = suite.Spec{
	ID:           "each-driver-of-a-claim-must-succeed",
	Description:  "A pod whose claim has devices of two drivers is not started while one of the drivers fails to prepare the claim, and stays when it is deleted while one of them fails to unprepare the claim, whichever it is.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     twoDriverFeatures,
	Component:    env.Kubelet,
	Kinds:        twoDriverKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        faultNeeds,
	Requirements: []string{"4381-failed-prepare-is-noticed", "4381-unprepared-before-pod-is-gone"},
	Body: func(ctx context.Context, e *env.Env) {
		two := findTwoDrivers(e)
		node := devices.WaitForNodeWithDevices(ctx, e, two.exclusive.Driver)
		for i, failing := range two.devices() {
			name := fmt.Sprintf("pod-%d", i)
			fails := func(method string) {
				drivers.InjectFault(ctx, e, failing.Driver, node, operations.Fault{
					Method: method, Action: operations.FailClaims, Count: 1_000_000, Message: "fault of the spec: failed claim", Claims: []string{name},
				})
			}
			two.createClaim(ctx, e, name, two.exclusive, two.shared)
			fails(operations.Prepare)
			pods.CreateUsingClaims(ctx, e, name, pods.Options{Node: node}, name)
			drivers.WaitForCall(ctx, e, failing.Driver, node, operations.Prepare, name)
			pods.ExpectNotStarted(ctx, e, name, "")
			drivers.RemoveFaults(ctx, e, failing.Driver, node)
			pods.TriggerKubeletSync(ctx, e, name)
			pods.WaitForContainersRunning(ctx, e, name)

			fails(operations.Unprepare)
			pods.DeleteWithoutWaiting(ctx, e, name)
			drivers.WaitForCall(ctx, e, failing.Driver, node, operations.Unprepare, name)
			pods.ExpectDeletionBlocked(ctx, e, name, name, "driver "+failing.Driver+" has not unprepared it")
			drivers.RemoveFaults(ctx, e, failing.Driver, node)
			pods.WaitForDeleted(ctx, e, name)
			for _, device := range two.devices() {
				drivers.WaitForUnprepared(ctx, e, device.Driver, node, name)
			}
		}
	},
}
