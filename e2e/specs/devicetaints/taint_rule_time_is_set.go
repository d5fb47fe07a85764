// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintRuleTimeIsSet creates a DeviceTaintRule without a time, and one with a time
// in the past. It changes the value of the latter, then its effect, and then its
// effect together with its time.
var taintRuleTimeIsSet = suite.Spec{
	ID:           "taint-rule-time-is-set",
	Description:  "The API server sets the time of a DeviceTaintRule's taint when a rule without a time is created, and when its effect changes and its time does not. It keeps the time otherwise.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.36", // API servers of 1.35 do not set the time in updates.
	Requirements: []string{"5055-rule-time"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreateTaintRule(ctx, "untimed", selector(sim, "", ""), noSchedule)
		gomega.Expect(sim.GetTaintRule(ctx, "untimed").Taint.TimeAdded).NotTo(gomega.BeNil(), "a new rule should have a time")

		given := noSchedule
		given.TimeAdded = daysAgo(2)
		sim.CreateTaintRule(ctx, "timed", selector(sim, "", ""), given)
		expectTimeOfRule(ctx, sim, given.TimeAdded, "it was created with this time")
		sim.ChangeTaintRule(ctx, "timed", func(spec *resourceapi.DeviceTaintRuleSpec) { spec.Taint.Value = "badly" })
		expectTimeOfRule(ctx, sim, given.TimeAdded, "only its value has changed")

		sim.ChangeTaintRule(ctx, "timed", func(spec *resourceapi.DeviceTaintRuleSpec) { spec.Taint.Effect = noExecute.Effect })
		set := sim.GetTaintRule(ctx, "timed").Taint.TimeAdded
		gomega.Expect(set).NotTo(gomega.BeNil(), "a rule should have a time")
		gomega.Expect(set.After(daysAgo(1).Time)).To(gomega.BeTrue(), "the time of a rule whose effect has changed should be that of the change, and is %s", set)

		later := daysAgo(1)
		sim.ChangeTaintRule(ctx, "timed", func(spec *resourceapi.DeviceTaintRuleSpec) {
			spec.Taint.Effect, spec.Taint.TimeAdded = noSchedule.Effect, later
		})
		expectTimeOfRule(ctx, sim, later, "it was given together with another effect")
	},
}

// daysAgo returns a time in the past that the API can represent. It is so long ago
// that the clocks of the cluster do not matter.
func daysAgo(n int) *metav1.Time {
	ago := metav1.NewTime(time.Now().AddDate(0, 0, -n).Truncate(time.Second))
	return &ago
}

// expectTimeOfRule asserts the time of the rule timed.
func expectTimeOfRule(ctx context.Context, sim *simulated.Nodes, want *metav1.Time, because string) {
	ginkgo.GinkgoHelper()
	got := sim.GetTaintRule(ctx, "timed").Taint.TimeAdded
	gomega.Expect(got.Equal(want)).To(gomega.BeTrue(), "the time of the rule should be %s, because %s, and is %s", want, because, got)
}
