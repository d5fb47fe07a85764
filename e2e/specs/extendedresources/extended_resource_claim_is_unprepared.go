// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// extendedResourceClaimIsUnprepared creates a DeviceClass for exclusive devices with the name
// of an extended resource, and a pod that requests the resource. It deletes the pod. The spec
// of the pod does not name the claim, only its status does.
var extendedResourceClaimIsUnprepared = suite.Spec{
	ID:           "extended-resource-claim-is-unprepared",
	Description:  "When a pod is deleted, the kubelet has the driver unprepare the claim for the extended resources of the pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Kubelet,
	Needs:        []env.Need{env.NeedsDeviceClasses, env.NeedsClaimsInUse},
	Kinds:        []subject.Kind{subject.KindExclusive},
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"5004-claims-are-unprepared"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		one := amounts{claims.CreateExtendedResource(ctx, e, "device", device): max(device.Count, 1)}
		pods.CreateWithResources(ctx, e, "pod", pods.ResourceUser{Container: pods.MainContainer, Amounts: one})
		pods.WaitForContainersRunning(ctx, e, "pod")
		node := pods.GetNode(ctx, e, "pod")
		claim, _ := pods.WaitForExtendedClaim(ctx, e, "pod")
		drivers.WaitForPrepared(ctx, e, device.Driver, node, claim.Name)
		pods.Delete(ctx, e, "pod")
		drivers.WaitForUnprepared(ctx, e, device.Driver, node, claim.Name)
	},
}
