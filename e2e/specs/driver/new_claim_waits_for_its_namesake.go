// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// newClaimWaitsForItsNamesake lets the driver's calls to unprepare hang,
// deletes a pod by force and its claim, and creates both again with the same
// names. The driver must not be called to prepare the new claim until the
// calls return.
var newClaimWaitsForItsNamesake = suite.Spec{
	ID:           "new-claim-waits-for-its-namesake",
	Description:  "A pod and its claim are force-deleted and created again with the same names. The new pod is not started before the driver has unprepared the old claim, and then has the devices of the new claim.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        faultNeeds,
	Requirements: []string{"4381-claims-told-by-uid"},
	Body: func(ctx context.Context, e *env.Env) {
		const claim = "namesake"
		device := findDeviceOnNode(ctx, e)
		pod := device.start(ctx, e, claim)
		pods.WaitForRunning(ctx, e, pod)
		old := claims.GetUID(ctx, e, claim)

		drivers.InjectFault(ctx, e, device.Driver, device.node, operations.Fault{Method: operations.Unprepare, Action: operations.Hang, Count: 100})
		pods.DeleteByForce(ctx, e, pod)
		claims.Delete(ctx, e, claim)
		device.start(ctx, e, claim)
		pods.ExpectNotStarted(ctx, e, pod, claim)
		for _, call := range drivers.GetCalls(ctx, e, device.Driver, device.node, operations.Prepare, claim) {
			gomega.Expect(call.UID).To(gomega.Equal(old), "the new claim should not be prepared yet")
		}

		drivers.RemoveFaults(ctx, e, device.Driver, device.node)
		pods.WaitForRunning(ctx, e, pod)
		for _, call := range drivers.GetCalls(ctx, e, device.Driver, device.node, operations.Unprepare, claim) {
			gomega.Expect(call.UID).To(gomega.Equal(old), "the new claim should not be unprepared")
		}
		pods.DeleteWithClaim(ctx, e, claim, pod)
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, claim)
	},
}
