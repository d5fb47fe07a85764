// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingWaitsForAllClaims creates two pods with two claims each. The first claim
// of one pod and the second claim of the other are ready at first. Both claims of a third pod
// become ready, one after the other, and the device of the second one fails at the same time.
var bindingWaitsForAllClaims = suite.Spec{
	ID:           "binding-waits-for-all-claims",
	Description:  "A pod with several claims is bound to a node only when the devices of all of them are ready, and none of them has failed.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-waits-for-all-devices", "5007-failure-clears-allocation"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fabric("card-1", "card-2", "disk-1", "disk-2", "tape-1", "tape-2"))
		claimFor := func(device string) resourceapi.DeviceClaim {
			return devices.NewDeviceClaim(fixture.RequestFor(sim, device))
		}
		pods.CreateWithClaims(ctx, e, "first", claimFor("card-1"), claimFor("card-2"))
		pods.CreateWithClaims(ctx, e, "second", claimFor("disk-1"), claimFor("disk-2"))
		pods.CreateWithClaims(ctx, e, "third", claimFor("tape-1"), claimFor("tape-2"))
		for _, claim := range []string{"first-0", "first-1", "second-0", "second-1", "third-0", "third-1"} {
			claims.WaitForAllocation(ctx, e, claim, "its device is free")
		}
		reportReady(ctx, e, "first-0", "second-1")
		expectWaiting(ctx, e, map[string]string{
			"first":  "the device of its second claim is not ready",
			"second": "the device of its first claim is not ready",
		})
		reportReady(ctx, e, "first-1", "second-0")
		pods.WaitForScheduled(ctx, e, "first", "second")

		// The last update completes what the pod waits for, and states the failure. A scheduler
		// may deallocate all claims of the pod then, at any time.
		reportReady(ctx, e, "third-0")
		report(ctx, e, "third-1", map[string]conditions{"tape-2": {attached: metav1.ConditionTrue, configured: metav1.ConditionTrue, failed: metav1.ConditionTrue}})
		waitForReallocated(ctx, e, "third", "third-1")
		reportReady(ctx, e, "third-0", "third-1")
		pods.WaitForScheduled(ctx, e, "third")
	},
}
