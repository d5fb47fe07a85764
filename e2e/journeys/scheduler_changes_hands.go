package journeys

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

var schedulerChangesHands = suite.Spec{
	ID: "scheduler-changes-hands",
	Sentence: "When kube-scheduler replaces the bundled scheduler and vice versa, no device is allocated twice. " +
		"kube-scheduler ignores sharing affinity, and the bundled scheduler derives the locks from the " +
		"claims again.",
	Profile:  profile,
	Features: []features.Feature{features.Core, features.SharedDevices, features.Partitions},
	Judges:   suite.JudgesScheduler,
	Kinds:    []subject.Kind{subject.KindShared},
	Needs:    []suite.Need{suite.NeedsStage, suite.NeedsDrivers},
	Requirements: []string{
		"5981-off-ignores-field",
		"5981-on-again-keeps-allocations",
	},
	Journey: &suite.Journey{
		Start:        suite.Start{Release: clusters.Newest().Minor, Gates: "default", Scheduler: kind.DraconformScheduler, Workers: 1},
		OfSchedulers: true,
		Stops: func() []suite.Stop {
			var c *cards
			take := func(ctx context.Context, r *suite.JourneyRun, scheduler string) {
				r.Change(ctx, change.Want{Scheduler: scheduler})
			}
			// knowsLocks uses new pods, because the conditions of older pods
			// may come from another scheduler. On the device that claims hold
			// with both values, pods request either value: a scheduler that
			// considers the device locked to one of them reports another reason
			// for the other.
			knowsLocks := func(ctx context.Context, r *suite.JourneyRun) {
				r.StartClaim(ctx, "disagrees", c.inSubnet("lanes", "b"))
				r.StartClaim(ctx, "b-too", c.inSubnet("slots", "b"))
				r.EachRefused(ctx, map[string]string{
					"disagrees":    "the device is locked to another value",
					"a-1":          "claims on the device state different values",
					"b-too":        "claims on the device state different values",
					"after-silent": "a claim on the device states no value",
					"too-many":     "four quarters of the card are taken",
				})
				r.Removed(ctx, "disagrees")
				r.Removed(ctx, "b-too")
			}
			return []suite.Stop{
				{Text: "the bundled scheduler locks a device to a value", Do: func(ctx context.Context, r *suite.JourneyRun) {
					c = newCards(ctx, r, 1)
					c.Publish(ctx, suite.Pool{Node: c.Nodes[0], Name: "nics"}, described("nic"))
					kept(ctx, r, "quarter-0", c.part("1Gi"))
					c.keepInA(ctx, r, "a-0", "slots")
					c.keepInA(ctx, r, "agrees-0", "lanes")
					r.StartClaim(ctx, "b-0", c.inSubnet("slots", "b"))
					r.Refused(ctx, "b-0", "the device is locked to another value")
				}},
				{Text: "kube-scheduler takes over from it while pods come: they get what is left, the device is shared, and only a driver keeps values apart", Do: func(ctx context.Context, r *suite.JourneyRun) {
					start(ctx, r, c, "before", 3)
					take(ctx, r, kind.KubeScheduler)
					r.AllScheduled(ctx, "before-0", "before-1", "before-2")
					r.Keep(ctx, "before-0", "before-1", "before-2")
					r.Scheduled(ctx, "b-0")
					r.Keep(ctx, "b-0")
					c.keepInA(ctx, r, "agrees-1", "lanes")
					kept(ctx, r, "silent-0", c.with("ports", "4"))
					r.Start(ctx, "too-many", c.part("1Gi"))
					r.Refused(ctx, "too-many", "four quarters of the card are taken")
					judge(ctx, r, "affinity-driver-is-backstop")
				}},
				{Text: "the bundled scheduler is back: it knows a device's lock if all claims on it agree, and nothing of others", Do: func(ctx context.Context, r *suite.JourneyRun) {
					take(ctx, r, kind.DraconformScheduler)
					c.keepInA(ctx, r, "agrees-2", "lanes")
					r.StartClaim(ctx, "a-1", c.inSubnet("slots", "a"))
					r.StartClaim(ctx, "after-silent", c.inSubnet("ports", "a"))
					knowsLocks(ctx, r)
				}},
				{Text: "the bundled scheduler is killed, and finds the same locks again", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.Kill(ctx, change.Scheduler)
					knowsLocks(ctx, r)
					c.keepInA(ctx, r, "agrees-3", "lanes")
				}},
				{Text: "the claims on them end, one after the other: only then they are locked again, to the value of the next", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.LetGo("b-0", "silent-0")
					r.Kill(ctx, change.ControllerManager)
					r.Removed(ctx, "b-0")
					r.Removed(ctx, "silent-0")
					r.Scheduled(ctx, "after-silent")
					r.StartClaim(ctx, "a-2", c.inSubnet("slots", "a"))
					r.AllRefused(ctx, "a claim that was on the device while nobody knew its value has not ended", "a-1", "a-2")
					r.LetGo("a-0")
					r.Removed(ctx, "a-0")
					r.AllScheduled(ctx, "a-1", "a-2")
					r.Keep(ctx, "a-1", "a-2")
					r.StartClaim(ctx, "b-1", c.inSubnet("slots", "b"))
					r.Refused(ctx, "b-1", "the device is locked to another value")
				}},
			}
		},
	},
}

// judge runs one spec during a journey.
func judge(ctx context.Context, r *suite.JourneyRun, spec string) {
	chosen, err := suite.Selection{IDs: []string{spec}}.Choose(specs.All())
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(r.Judge(ctx, chosen)).To(gomega.Equal(1), "spec %s should be able to judge the cluster", spec)
}

// keepInA starts a pod with a share of a device of nic.yaml in subnet a and
// requires that it is not disturbed afterwards.
func (c *cards) keepInA(ctx context.Context, r *suite.JourneyRun, name, capacity string) {
	ginkgo.GinkgoHelper()
	r.StartClaim(ctx, name, c.inSubnet(capacity, "a"))
	r.Scheduled(ctx, name)
	r.Keep(ctx, name)
}

// start starts pods that request quarters of cards and does not wait for them.
func start(ctx context.Context, r *suite.JourneyRun, c *cards, name string, pods int) {
	for i := range pods {
		r.Start(ctx, fmt.Sprintf("%s-%d", name, i), c.part("1Gi"))
	}
}
