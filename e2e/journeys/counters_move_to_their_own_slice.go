package journeys

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
)

var countersMoveToTheirOwnSlice = suite.Spec{
	ID: "counters-move-to-their-own-slice",
	Description: "From 1.34, where counter sets and devices are in one ResourceSlice, to 1.35, where they are not, " +
		"devices of pools in the old form are not allocated to new claims, and everything else keeps " +
		"working, also after the downgrade.",
	Profile:      profile,
	Features:     []features.Feature{features.Core, features.Partitions},
	Component:    env.Cluster,
	Kinds:        []subject.Kind{subject.KindExclusive, subject.KindPartition},
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsDrivers},
	Requirements: []string{"4815-old-slices-are-invalid", "4815-upgrade-leaves-pods-running"},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: "1.34", Gates: "DRAPartitionableDevices=true", Scheduler: kind.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			var c *cards
			return []journey.Step{
				{Text: "1.34: parts of cards and other devices are allocated", Do: func(ctx context.Context, r *journey.Run) {
					for i := range 3 {
						r.CreateCheckedPod(ctx, fmt.Sprintf("gpu-%d", i), r.Subject.Partitions.Small)
					}
					c = newCards(ctx, r, 2)
					kept(ctx, r, "half-of-1.34", c.part("2Gi"))
					kept(ctx, r, "plain-of-1.34", c.plain())
				}},
				{Text: "upgrade to 1.35 with slices of 1.34: cards give nothing, other devices do, and the slices cannot be changed", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.35")
					cannotBeUpdated(ctx, r, c)
					pods.CreateWithRequests(ctx, r.Env, "half-of-1.35", c.part("2Gi"))
					kept(ctx, r, "plain-of-1.35", c.plain())
					pods.WaitForPending(ctx, r.Env, "the pools of the cards are not valid in 1.35", "half-of-1.35")
				}},
				{Text: "drivers publish in the form of 1.35: what waited is allocated", Do: func(ctx context.Context, r *journey.Run) {
					republish(ctx, r)
					judge(ctx, r, "init-containers-see-devices")
					c.withdraw(ctx)
					c.publish(ctx)
					pods.WaitForScheduled(ctx, r.Env, "half-of-1.35")
					r.CheckAfterEachStep(ctx, "half-of-1.35")
				}},
				// According to the KEP, 1.34 allocates nothing from such pools.
				// In fact it does not find their counters and ignores them, so
				// both results are accepted.
				{Text: "downgrade to 1.34 with slices of 1.35: what runs goes on", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.34")
					pods.CreateWithRequests(ctx, r.Env, "half-again", c.part("2Gi"))
					kept(ctx, r, "plain-of-1.34-again", c.plain())
				}},
				{Text: "drivers publish in the form of 1.34: claims that fit are allocated", Do: func(ctx context.Context, r *journey.Run) {
					republish(ctx, r)
					judge(ctx, r, "init-containers-see-devices")
					c.withdraw(ctx)
					c.publish(ctx)
					pods.WaitForScheduled(ctx, r.Env, "half-again")
					r.CheckAfterEachStep(ctx, "half-again")
				}},
				{Text: "upgrade to 1.35 without slices, then the driver publishes: what is left of the cards is allocated, and no more", Do: func(ctx context.Context, r *journey.Run) {
					c.withdraw(ctx)
					r.Upgrade(ctx, "1.35")
					c.publish(ctx)
					for _, name := range []string{"quarter-0", "quarter-1"} {
						kept(ctx, r, name, c.part("1Gi"))
					}
					pods.CreateWithRequests(ctx, r.Env, "quarter-2", c.part("1Gi"))
					pods.WaitForUnschedulable(ctx, r.Env, "quarter-2", "three halves and two quarters of two cards are taken")
				}},
				{Text: "downgrade to 1.34 without slices, then the driver publishes: what becomes free is allocated, and no more", Do: func(ctx context.Context, r *journey.Run) {
					c.withdraw(ctx)
					r.Upgrade(ctx, "1.34")
					c.publish(ctx)
					r.StopChecking("quarter-0")
					pods.DeleteWithClaim(ctx, r.Env, "quarter-0")
					pods.WaitForScheduled(ctx, r.Env, "quarter-2")
					pods.CreateWithRequests(ctx, r.Env, "quarter-3", c.part("1Gi"))
					pods.WaitForUnschedulable(ctx, r.Env, "quarter-3", "three halves and two quarters of two cards are taken")
				}},
			}
		},
	},
}

// cannotBeUpdated asserts that the API server rejects updates of the cards'
// slices in their current form.
func cannotBeUpdated(ctx context.Context, r *journey.Run, c *cards) {
	for _, err := range c.update(ctx, r) {
		gomega.Expect(apierrors.IsInvalid(err)).To(gomega.BeTrue(), "the API server should not take a slice that has devices and counters: %v", err)
	}
}
