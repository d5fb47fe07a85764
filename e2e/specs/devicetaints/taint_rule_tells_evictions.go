// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"time"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintRuleTellsEvictions changes a DeviceTaintRule of the effect None, whose device has a
// pod, to NoExecute. Then it creates two rules for devices whose pods tolerate the taint for
// some time, deletes one of them, and creates one for a device that no pod uses. Another rule
// gets the effect NoSchedule in time. When the condition of the rule that stays is true, it
// changes the time of its taint, so that the pod has to be evicted.
var taintRuleTellsEvictions = suite.Spec{
	ID:           "taint-rule-tells-evictions",
	Description:  "The condition EvictionInProgress of a DeviceTaintRule becomes true while a pod has yet to be evicted because of it, and false when the pod is evicted. That of a rule because of which no pod is evicted is not true, and that of a rule of the effect None is false. When a rule is deleted, or its effect becomes NoSchedule, before the time that a pod tolerates its taint has passed, the pod stays.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.35",
	Requirements: []string{"5055-eviction-in-progress", "5055-no-eviction-without-effect", "5055-deleted-rule-cancels-eviction", "5055-rules-change"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createTwoPools(ctx, e)
		expectEffectsTold(ctx, e, sim)
		toleration := tolerate(worn, noExecute.Effect)
		// However late a controller updates the condition, the pod has yet to be evicted.
		toleration.TolerationSeconds = ptr.To[int64](3600)
		pods.CreateWithClaimOnNode(ctx, e, "pod", sim.Names[0], claimFor(sim, "card", toleration))
		pods.WaitForScheduled(ctx, e, "pod")
		sim.CreateTaintRule(ctx, "unused", selector(sim, sim.Names[1], "disk"), noExecute)
		spared := expectWithdrawnInTime(ctx, e, sim, func() {
			sim.CreateTaintRule(ctx, "used", selector(sim, sim.Names[0], "card"), noExecute)
			sim.WaitForEvictionInProgress(ctx, "used", true, "pod pod tolerates its taint for a while only")
		})
		sim.ExpectNoEvictionInProgress(ctx, "unused", "no pod uses a device that it selects")
		sim.ChangeTaintRule(ctx, "used", func(spec *resourceapi.DeviceTaintRuleSpec) { spec.Taint.TimeAdded = daysAgo(1) })
		pods.WaitForDisrupted(ctx, e, "its claim tolerates the taint for an hour, and the taint was added a day ago", "pod")
		// The rule was changed after the others.
		changesSeen := time.Now()
		sim.WaitForEvictionInProgress(ctx, "used", false, "pod pod is evicted")
		spared(changesSeen)
	},
}

// expectEffectsTold changes the effect of a rule whose device has a pod that tolerates the
// taint for an hour, and asserts what the rule tells.
func expectEffectsTold(ctx context.Context, e *env.Env, sim *simulated.Nodes) {
	ginkgo.GinkgoHelper()
	toleration := tolerate(worn, noExecute.Effect)
	toleration.TolerationSeconds = ptr.To[int64](3600)
	pods.CreateWithClaimOnNode(ctx, e, "noted", sim.Names[1], claimFor(sim, "card", toleration))
	pods.WaitForScheduled(ctx, e, "noted")
	sim.CreateTaintRule(ctx, "noted", selector(sim, sim.Names[1], "card"), resourceapi.DeviceTaint{Key: worn, Effect: resourceapi.DeviceTaintEffectNone})
	sim.WaitForEvictionObserved(ctx, "noted", false, "its effect is None")
	sim.ChangeTaintRule(ctx, "noted", func(spec *resourceapi.DeviceTaintRuleSpec) { spec.Taint.Effect = noExecute.Effect })
	sim.WaitForEvictionObserved(ctx, "noted", true, "its effect is NoExecute now, and pod noted tolerates its taint for a while only")
}

// expectWithdrawnInTime creates two rules for devices whose pods tolerate the taint for a short
// time, calls seen, which returns when the controller has seen the rules, deletes one of them, and
// changes the effect of the other one to NoSchedule. It returns a function that asserts that the
// pods stay, also after that time. It asserts nothing if the controller had seen the changes so
// late that the pods may have been evicted.
func expectWithdrawnInTime(ctx context.Context, e *env.Env, sim *simulated.Nodes, seen func()) (expectSpared func(changesSeen time.Time)) {
	ginkgo.GinkgoHelper()
	// Times in the API are rounded to seconds, and clocks may differ a little.
	const tolerated, inaccuracy = 10 * time.Second, 3 * time.Second
	toleration := tolerate(worn, noExecute.Effect)
	toleration.TolerationSeconds = ptr.To(int64(tolerated.Seconds()))
	sim.CreatePool(ctx, simulated.Pool{Name: "more", Node: sim.Names[0]}, fixture.Devices("tape"))
	pods.CreateWithClaimOnNode(ctx, e, "spared", sim.Names[0], claimFor(sim, "disk", toleration))
	pods.CreateWithClaimOnNode(ctx, e, "eased", sim.Names[0], claimFor(sim, "tape", toleration))
	pods.WaitForScheduled(ctx, e, "spared", "eased")
	created := time.Now()
	sim.CreateTaintRule(ctx, "deleted", selector(sim, sim.Names[0], "disk"), noExecute)
	sim.CreateTaintRule(ctx, "eased", selector(sim, "more", "tape"), noExecute)
	seen()
	sim.DeleteTaintRule(ctx, "deleted")
	sim.ChangeTaintRule(ctx, "eased", func(spec *resourceapi.DeviceTaintRuleSpec) { spec.Taint.Effect = noSchedule.Effect })
	return func(changesSeen time.Time) {
		ginkgo.GinkgoHelper()
		if changesSeen.Sub(created) > tolerated-inaccuracy {
			return
		}
		longer := *e
		longer.Timeouts.Stable = max(e.Timeouts.Stable, time.Until(created.Add(tolerated+inaccuracy)))
		const because = "the device taint rule for their device was deleted, or got the effect NoSchedule, before they had to be evicted"
		pods.ExpectNotEvicted(ctx, &longer, because, "spared", "eased")
	}
}
