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
)

var countersMoveToTheirOwnSlice = suite.Spec{
	ID: "counters-move-to-their-own-slice",
	Sentence: "From 1.34, where counter sets and devices are in one ResourceSlice, to 1.35, where they are not, " +
		"devices of pools in the old form are not allocated to new claims, and everything else keeps " +
		"working, also after the downgrade.",
	Profile:      profile,
	Features:     []features.Feature{features.Core, features.Partitions},
	Judges:       suite.JudgesCluster,
	Kinds:        []subject.Kind{subject.KindExclusive, subject.KindPartition},
	Needs:        []suite.Need{suite.NeedsStage, suite.NeedsDrivers},
	Requirements: []string{"4815-old-slices-are-invalid", "4815-upgrade-leaves-pods-running"},
	Journey: &suite.Journey{
		Start: suite.Start{Release: "1.34", Gates: "DRAPartitionableDevices=true", Scheduler: kind.KubeScheduler, Workers: 1},
		Stops: func() []suite.Stop {
			var c *cards
			return []suite.Stop{
				{Text: "1.34: parts of cards and other devices are allocated", Do: func(ctx context.Context, r *suite.JourneyRun) {
					for i := range 3 {
						r.Traveller(ctx, fmt.Sprintf("gpu-%d", i), r.Subject.Partitions.Small)
					}
					c = newCards(ctx, r, 2)
					kept(ctx, r, "half-of-1.34", c.part("2Gi"))
					kept(ctx, r, "plain-of-1.34", c.plain())
				}},
				{Text: "upgrade to 1.35 with slices of 1.34: cards give nothing, other devices do, and the slices cannot be changed", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.Upgrade(ctx, "1.35")
					cannotBeUpdated(ctx, r, c)
					r.Start(ctx, "half-of-1.35", c.part("2Gi"))
					kept(ctx, r, "plain-of-1.35", c.plain())
					r.StayPending(ctx, "the pools of the cards are not valid in 1.35", "half-of-1.35")
				}},
				{Text: "drivers publish in the form of 1.35: what waited is allocated", Do: func(ctx context.Context, r *suite.JourneyRun) {
					republish(ctx, r)
					judge(ctx, r, "init-containers-see-devices")
					c.withdraw(ctx)
					c.publish(ctx)
					r.Scheduled(ctx, "half-of-1.35")
					r.Keep(ctx, "half-of-1.35")
				}},
				// According to the KEP, 1.34 allocates nothing from such pools.
				// In fact it does not find their counters and ignores them, so
				// both results are accepted.
				{Text: "downgrade to 1.34 with slices of 1.35: what runs goes on", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.Upgrade(ctx, "1.34")
					r.Start(ctx, "half-again", c.part("2Gi"))
					kept(ctx, r, "plain-of-1.34-again", c.plain())
				}},
				{Text: "drivers publish in the form of 1.34: claims that fit are allocated", Do: func(ctx context.Context, r *suite.JourneyRun) {
					republish(ctx, r)
					judge(ctx, r, "init-containers-see-devices")
					c.withdraw(ctx)
					c.publish(ctx)
					r.Scheduled(ctx, "half-again")
					r.Keep(ctx, "half-again")
				}},
				{Text: "upgrade to 1.35 without slices, then the driver publishes: what is left of the cards is allocated, and no more", Do: func(ctx context.Context, r *suite.JourneyRun) {
					c.withdraw(ctx)
					r.Upgrade(ctx, "1.35")
					c.publish(ctx)
					for _, name := range []string{"quarter-0", "quarter-1"} {
						kept(ctx, r, name, c.part("1Gi"))
					}
					r.Start(ctx, "quarter-2", c.part("1Gi"))
					r.Refused(ctx, "quarter-2", "three halves and two quarters of two cards are taken")
				}},
				{Text: "downgrade to 1.34 without slices, then the driver publishes: what becomes free is allocated, and no more", Do: func(ctx context.Context, r *suite.JourneyRun) {
					c.withdraw(ctx)
					r.Upgrade(ctx, "1.34")
					c.publish(ctx)
					r.LetGo("quarter-0")
					r.Removed(ctx, "quarter-0")
					r.Scheduled(ctx, "quarter-2")
					r.Start(ctx, "quarter-3", c.part("1Gi"))
					r.Refused(ctx, "quarter-3", "three halves and two quarters of two cards are taken")
				}},
			}
		},
	},
}

// cannotBeUpdated asserts that the API server rejects updates of the cards'
// slices in their current form.
func cannotBeUpdated(ctx context.Context, r *suite.JourneyRun, c *cards) {
	for _, err := range c.update(ctx, r) {
		gomega.Expect(apierrors.IsInvalid(err)).To(gomega.BeTrue(), "the API server should not take a slice that has devices and counters: %v", err)
	}
}
