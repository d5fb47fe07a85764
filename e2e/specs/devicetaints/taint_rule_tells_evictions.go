// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// taintRuleTellsEvictions schedules a pod that tolerates a taint for an hour, creates a
// DeviceTaintRule with this taint for its device, and one for devices that no pod uses. When
// the condition is true, it changes the time of the taint, so that the hour is over.
var taintRuleTellsEvictions = suite.Spec{
	ID:           "taint-rule-tells-evictions",
	Description:  "The condition EvictionInProgress of a DeviceTaintRule becomes true while a pod has yet to be evicted because of it, and false when the pod is evicted. That of a rule because of which no pod is evicted is not true.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.35",
	Requirements: []string{"5055-eviction-in-progress"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createTwoPools(ctx, e)
		toleration := tolerate(worn, noExecute.Effect)
		// However late a controller updates the condition, the pod has yet to be evicted.
		toleration.TolerationSeconds = ptr.To[int64](3600)
		pods.CreateWithClaimOnNode(ctx, e, "pod", sim.Names[0], claimFor(sim, "card", toleration))
		pods.WaitForScheduled(ctx, e, "pod")
		sim.CreateTaintRule(ctx, "unused", selector(sim, sim.Names[1], ""), noExecute)
		sim.CreateTaintRule(ctx, "used", selector(sim, sim.Names[0], ""), noExecute)
		sim.WaitForEvictionInProgress(ctx, "used", true, "pod pod tolerates its taint for a while only")
		sim.ExpectNoEvictionInProgress(ctx, "unused", "no pod uses a device that it selects")
		sim.ChangeTaintRule(ctx, "used", func(spec *resourceapi.DeviceTaintRuleSpec) { spec.Taint.TimeAdded = daysAgo(1) })
		pods.WaitForEvicted(ctx, e, "its claim tolerates the taint for an hour, and the taint was added a day ago", "pod")
		sim.WaitForEvictionInProgress(ctx, "used", false, "pod pod is evicted")
	},
}
