// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// affinityLockOutlivesFailedPrepare lets the driver fail to prepare a claim,
// and requests the same device with another value and with the same value.
// Then the driver prepares the claims again.
var affinityLockOutlivesFailedPrepare = suite.Spec{
	ID:          "affinity-lock-outlives-failed-prepare",
	Description: "A claim that its driver fails to prepare still locks its device. Pods with devices that declare keys run like other pods.",
	Profile:     profile,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Kinds:       []subject.Kind{subject.KindShared},
	Fields:      []subject.Field{subject.SharedIdentity, subject.SharedApart, subject.SharedApartKeys},
	MinNodes:    1,
	OneNode:     true,
	Needs:       []env.Need{env.NeedsDriverCalls, env.NeedsDriverFaults, env.NeedsDriverPublish},
	Requirements: []string{
		"5981-failed-prepare-keeps-lock",
		"5981-kubelet-unchanged",
	},
	Body: func(ctx context.Context, e *env.Env) {
		shared := e.Subject.Shared
		driver, apart := shared.Share.Driver, shared.Apart
		node := devices.WaitForNodeWithDevices(ctx, e, driver)
		drivers.EnforceAffinity(ctx, e, driver, node, apart.Keys, true)
		drivers.InjectFault(ctx, e, driver, node, operations.Fault{Method: operations.Prepare, Action: operations.Fail, Count: 100, Message: "fault of the spec: failed call"})
		pods.CreateWithConfiguredClaim(ctx, e, "one", node, shared.Share, apart.One)
		pods.ExpectNotStarted(ctx, e, "one", "")
		same := shared.Of(claims.GetDeviceIdentity(ctx, e, "one"))
		pods.CreateWithConfiguredClaim(ctx, e, "other", node, same, apart.Other)
		pods.WaitForUnschedulable(ctx, e, "other", "claim one is allocated the device, although it is not prepared")

		pods.CreateWithConfiguredClaim(ctx, e, "agreeing", node, same, apart.One)
		drivers.RemoveFaults(ctx, e, driver, node)
		pods.WaitForRunning(ctx, e, "one")
		pods.WaitForRunning(ctx, e, "agreeing")
		pods.DeleteWithClaim(ctx, e, "one")
		pods.DeleteWithClaim(ctx, e, "agreeing")
		pods.WaitForRunning(ctx, e, "other")
	},
}
