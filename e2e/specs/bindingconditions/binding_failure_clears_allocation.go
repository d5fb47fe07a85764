// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingFailureClearsAllocation makes both devices of a claim ready, and at the
// same time one of them fail. There are no other devices, so the claim is
// allocated the same ones again, which are then ready. The API server drops the
// status of devices that are deallocated, which shows that they were.
var bindingFailureClearsAllocation = suite.Spec{
	ID:           "binding-failure-clears-allocation",
	Description:  "When a binding failure condition of a device is true, the pod is not bound, even if all binding conditions are true. The claim is deallocated, and allocated again for the next attempt, for which the earlier failure does not count.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-failure-clears-allocation", "5007-failure-prevails", "5007-pod-is-rescheduled"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fabric("card", "disk"))
		pair := attempt{Devices: map[string]conditions{"card": nil, "disk": nil}}
		pods.CreateWithClaim(ctx, e, "pair", devices.NewDeviceClaim(pair.requests(sim)))
		claims.WaitForAllocation(ctx, e, "pair", "its devices are free")
		report(ctx, e, "pair", map[string]conditions{
			"card": ready,
			"disk": {attached: metav1.ConditionTrue, configured: metav1.ConditionTrue, failed: metav1.ConditionTrue},
		})
		claims.WaitForAllocation(ctx, e, "pair", "one of its devices has failed, so that it is deallocated, and then allocated again")
		expectWaiting(ctx, e, map[string]string{"pair": "its devices were allocated again and are not ready"})
		reportReady(ctx, e, "pair")
		pods.WaitForScheduled(ctx, e, "pair")
	},
}
