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

// bindingWaitsForAllAtOnce makes one of two conditions of a device true, and one of the two
// devices of another claim ready. When the scheduler has had time to read that, the other
// condition and the other device become so, and in the same update, the first ones cease to be.
var bindingWaitsForAllAtOnce = suite.Spec{
	ID:           "binding-waits-for-all-at-once",
	Description:  "A pod waits until all binding conditions of its devices are true at the same time. That each of them has been true before is not enough.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-waits-for-all-conditions", "5007-waits-for-all-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fabric("card", "disk-1", "disk-2"))
		for pod, of := range map[string]attempt{
			"one": {Devices: map[string]conditions{"card": nil}}, "two": {Devices: map[string]conditions{"disk-1": nil, "disk-2": nil}},
		} {
			pods.CreateWithClaim(ctx, e, pod, devices.NewDeviceClaim(of.requests(sim)))
			claims.WaitForAllocation(ctx, e, pod, "its devices are free")
		}
		report(ctx, e, "one", map[string]conditions{"card": {attached: metav1.ConditionTrue}})
		report(ctx, e, "two", map[string]conditions{"disk-1": ready})
		expectWaiting(ctx, e, map[string]string{"one": "one of two conditions is true", "two": "one of two devices is ready"})

		detached := conditions{attached: metav1.ConditionFalse, configured: metav1.ConditionTrue}
		report(ctx, e, "one", map[string]conditions{"card": detached})
		report(ctx, e, "two", map[string]conditions{"disk-1": detached, "disk-2": ready})
		expectWaiting(ctx, e, map[string]string{"one": "the condition that was true is false now", "two": "the device that was ready is detached now"})
		reportReady(ctx, e, "one", "two")
		pods.WaitForScheduled(ctx, e, "one", "two")
	},
}
