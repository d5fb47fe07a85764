// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolStatusCountsTaintRules creates a DeviceTaintRule for one of two devices,
// changes its effect, and deletes it. It requests the status of the pool after each
// of these steps.
var poolStatusCountsTaintRules = suite.Spec{
	ID:          "pool-status-counts-taint-rules",
	Description: "A device that a DeviceTaintRule selects is unavailable while the effect of the rule is NoSchedule or NoExecute, and available when it is None and when the rule is deleted.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    slices.Concat(statusFeatures, []features.Feature{features.DeviceTaints, features.DeviceTaintRules}),
	Component:   env.ControllerManager,
	Needs:       simulatedNodes,
	Since:       "1.37", // Taints are not counted before.
	Requirements: []string{
		"5677-unavailable-by-rules",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("selected", "other"))
		all := newRequests(e)
		expect := func(unavailable int32, because string) {
			want := free(node, node, 2)
			want.unavailable, want.available = unavailable, 2-unavailable
			all.expectReport(ctx, because, resourcev1alpha3.ResourcePoolStatusRequestSpec{Driver: sim.Driver}, report{matching: 1, pools: []pool{want}})
		}
		setEffect := func(effect resourceapi.DeviceTaintEffect) {
			sim.ChangeTaintRule(ctx, "worn", func(spec *resourceapi.DeviceTaintRuleSpec) { spec.Taint.Effect = effect })
		}
		expect(0, "there is no rule")
		// Each report differs from the one before, so that an early answer does not count.
		sim.CreateTaintRule(ctx, "worn", resourceapi.DeviceTaintSelector{Driver: &sim.Driver, Pool: &node, Device: ptr.To("selected")},
			resourceapi.DeviceTaint{Key: "draconform.dev/worn", Effect: resourceapi.DeviceTaintEffectNoSchedule})
		expect(1, "the effect of the rule for a device is NoSchedule")
		setEffect(resourceapi.DeviceTaintEffectNone)
		expect(0, "the effect of the rule is None")
		setEffect(resourceapi.DeviceTaintEffectNoExecute)
		expect(1, "the effect of the rule is NoExecute")
		sim.DeleteTaintRule(ctx, "worn")
		expect(0, "the rule was deleted")
	},
}
