// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// affinityDriverIsBackstop makes the driver enforce affinity keys that its
// slices do not declare, so that the scheduler lets the claims share a device
// and only the driver can reject one. While the claim of a running pod is on
// the device, the driver must fail to prepare a claim with another value and a
// claim that contradicts itself, and must prepare a claim with the same value.
// The running container is not restarted. When the claims with the first value
// are deleted, the pod with the other value must run.
var affinityDriverIsBackstop = suite.Spec{
	ID:          "affinity-driver-is-backstop",
	Description: "A driver fails to prepare a claim whose values conflict with those of other claims on the device, and prepares it when they are unprepared.",
	Profile:     profile,
	Features:    []features.Feature{features.Core, features.SharedDevices},
	Component:   env.Driver,
	Kinds:       []subject.Kind{subject.KindShared},
	Fields:      []subject.Field{subject.SharedIdentity, subject.SharedApart, subject.SharedApartKeys, subject.SharedApartContradicts},
	MinNodes:    1,
	OneNode:     true,
	Needs:       []env.Need{env.NeedsDriverCalls, env.NeedsDriverPublish},
	Requirements: []string{
		"5981-driver-is-the-backstop",
		"5981-driver-refuses-conflicts",
	},
	Body: func(ctx context.Context, e *env.Env) {
		shared := e.Subject.Shared
		driver, apart := shared.Share.Driver, shared.Apart
		node := devices.WaitForNodeWithDevices(ctx, e, driver)
		drivers.EnforceAffinity(ctx, e, driver, node, apart.Keys, false)
		pods.CreateWithConfiguredClaim(ctx, e, "one", node, shared.Share, apart.One)
		pods.WaitForRunning(ctx, e, "one")
		container := pods.GetContainer(ctx, e, "one")
		same := shared.Of(claims.GetDeviceIdentity(ctx, e, "one"))

		pods.CreateWithConfiguredClaim(ctx, e, "other", node, same, apart.Other)
		drivers.WaitForPrepareError(ctx, e, "other", driver, node, apart.Keys)
		pods.CreateWithConfiguredClaim(ctx, e, "contradicting", node, same, apart.One, apart.Contradicts)
		drivers.WaitForPrepareError(ctx, e, "contradicting", driver, node, apart.Keys)
		pods.CreateWithConfiguredClaim(ctx, e, "agreeing", node, same, apart.One)
		pods.WaitForRunning(ctx, e, "agreeing")
		pods.ExpectNotRestarted(ctx, e, container, "claims that the driver failed to prepare")

		pods.DeleteWithClaim(ctx, e, "one")
		pods.DeleteWithClaim(ctx, e, "agreeing")
		pods.WaitForRunning(ctx, e, "other")
	},
}
