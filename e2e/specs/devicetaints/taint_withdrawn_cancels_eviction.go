// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintWithdrawnCancelsEviction sets taints that pods tolerate for a short time, and
// withdraws all but one of them. If the controller had no time left to notice that, the
// spec tries it again with a longer time.
var taintWithdrawnCancelsEviction = suite.Spec{
	ID:           "taint-withdrawn-cancels-eviction",
	Description:  "A pod whose claim tolerates a taint for tolerationSeconds stays if the taint is removed or replaced by a tolerated one within this time.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.35", // 1.34 evicts at once, because it records no tolerations.
	Requirements: []string{"5055-withdrawn-taint-cancels-eviction"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		for tolerated := 6 * time.Second; !withdrawTaints(ctx, e, sim, tolerated); tolerated *= 3 {
			if tolerated > e.Timeouts.PodStart {
				e.NotApplicable("evictions take too long to tell whether one is canceled in time")
			}
		}
	},
}

// withdrawTaints performs the spec with a time. It returns false, and asserts nothing, if
// the controller has observed the withdrawal too late.
func withdrawTaints(ctx context.Context, e *env.Env, sim *simulated.Nodes, tolerated time.Duration) bool {
	ginkgo.GinkgoHelper()
	// Times in the API are rounded to seconds, and clocks may differ a little.
	const inaccuracy = 2 * time.Second
	name := func(attempt string) string { return attempt + "-" + tolerated.String() }
	attempts := fixture.ReadList[attempt](data, "withdrawals.yaml")
	for i := range attempts {
		attempts[i].Name = name(attempts[i].Name)
		for j := range attempts[i].Tolerations {
			if t := &attempts[i].Tolerations[j]; t.TolerationSeconds != nil {
				t.TolerationSeconds = ptr.To(int64(tolerated.Seconds()))
			}
		}
	}
	used := createUsedDevices(ctx, e, sim, name("used"), attempts)
	set := used.setTaints(ctx, before)
	remaining := slices.IndexFunc(attempts, func(a attempt) bool { return a.Name == name("remains") })
	attempts[remaining].Taints = set[name("remains")].Taints // With its time.
	used.setTaints(ctx, after)
	pods.WaitForDisrupted(ctx, e, used.evicted[name(witness)], name(witness))
	due := attempts[remaining].Taints[0].TimeAdded.Add(tolerated)
	if pods.GetDeletionTime(ctx, e, name(witness)).After(due.Add(-inaccuracy)) {
		return false
	}
	used.waitForEvicted(ctx, allowing(e, tolerated))
	pods.ExpectNotEvicted(ctx, e, "the taints of their devices were removed, or replaced by tolerated ones, before they had to be evicted", used.staying...)
	return true
}
