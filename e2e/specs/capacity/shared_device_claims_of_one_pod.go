// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceClaimsOfOnePod creates a pod with two claims for a device with
// one slot, and one with two claims for a device with two slots. Then it creates pods whose two
// claims request different amounts of a device with eight slots, in either order.
var sharedDeviceClaimsOfOnePod = suite.Spec{
	ID:          "shared-device-claims-of-one-pod",
	Description: "Two claims of one pod get shares of a device with enough capacity for both, and the pod is pending if the capacity suffices for one. Each claim consumes the amount that it requests itself.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-claims-of-one-pod",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[1]}, fixture.Load(data, "nic.yaml"))
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "nics.yaml"))
		pair := func(device string) {
			claim := devices.NewDeviceClaim(fixture.RequestFor(sim, device))
			pods.CreateWithClaims(ctx, e, device, claim, claim)
		}

		pair("one")
		pods.WaitForUnschedulable(ctx, e, "one", "its claims need two slots of a device with one")
		pair("two")
		pods.WaitForScheduled(ctx, e, "two")
		of := func(n int64) resourceapi.DeviceClaim {
			return devices.NewDeviceClaim(requestShare(sim, "nic", slots(n)))
		}
		for pod, both := range map[string][]resourceapi.DeviceClaim{"few-first": {of(2), of(6)}, "many-first": {of(6), of(2)}} {
			pods.CreateWithClaims(ctx, e, pod, both...)
			pods.WaitForScheduled(ctx, e, pod)
			late := "after-" + pod
			pods.CreateWithClaim(ctx, e, late, of(1))
			pods.WaitForUnschedulable(ctx, e, late, "the claims of pod "+pod+" consume two and six of eight slots")
			pods.Delete(ctx, e, pod)
			pods.WaitForScheduled(ctx, e, late)
			pods.DeleteWithClaim(ctx, e, late)
			claims.WaitForDeallocated(ctx, e, pod+"-0")
			claims.WaitForDeallocated(ctx, e, pod+"-1")
		}
	},
}
