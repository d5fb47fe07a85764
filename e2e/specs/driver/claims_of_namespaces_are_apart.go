// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// claimsOfNamespacesAreApart runs pods of the same name with claims of the same name in two
// namespaces on one node, and deletes one pod with its claim.
var claimsOfNamespacesAreApart = suite.Spec{
	ID:           "claims-of-namespaces-are-apart",
	Description:  "Pods of one node whose claims have the same name in different namespaces see the devices of their own claim. When one of them ends, the claim of the other one stays prepared.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Sees:         subject.Identified,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsOwnNamespace},
	Requirements: []string{"4381-claims-are-apart", "4381-claim-named"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		other := namespaces.CreateOther(ctx, e)
		pod := device.start(ctx, e, "claim")
		pods.WaitForRunning(ctx, e, pod)
		pods.WaitForRunning(ctx, other, device.start(ctx, other, "claim"))
		container := pods.GetContainer(ctx, e, pod)
		drivers.WaitForPrepared(ctx, e, device.Driver, device.node, "claim")
		drivers.WaitForPrepared(ctx, other, device.Driver, device.node, "claim")
		pods.DeleteWithClaim(ctx, other, "claim", pod)
		drivers.WaitForUnprepared(ctx, other, device.Driver, device.node, "claim")
		drivers.WaitForPrepared(ctx, e, device.Driver, device.node, "claim")
		pods.ExpectNotRestarted(ctx, e, container, "the end of a claim of the same name in another namespace")
		pods.DeleteWithClaim(ctx, e, "claim", pod)
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "claim")
	},
}
