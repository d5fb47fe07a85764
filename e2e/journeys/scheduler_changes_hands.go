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
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

var schedulerChangesHands = suite.Spec{
	ID: "scheduler-changes-hands",
	Description: "When kube-scheduler replaces the bundled scheduler and vice versa, no device is allocated twice. " +
		"kube-scheduler ignores sharing affinity, and the bundled scheduler derives the locks from the " +
		"claims again.",
	Profile:   profile,
	Features:  []features.Feature{features.Core, features.SharedDevices, features.Partitions},
	Component: env.Scheduler,
	Kinds:     []subject.Kind{subject.KindShared},
	Needs:     []env.Need{env.NeedsSimulatedNodes, env.NeedsDrivers},
	Requirements: []string{
		"5981-off-ignores-field",
		"5981-on-again-keeps-allocations",
	},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: clusters.Newest().Minor, Gates: "default", Scheduler: kind.DraconformScheduler, Workers: 1},
		OfSchedulers:   true,
		Steps: func() []journey.Step {
			var c *cards
			take := func(ctx context.Context, r *journey.Run, scheduler string) {
				r.Change(ctx, change.Want{Scheduler: scheduler})
			}
			// knowsLocks uses new pods, because the conditions of older pods
			// may come from another scheduler. On the device that claims hold
			// with both values, pods request either value: a scheduler that
			// considers the device locked to one of them reports another reason
			// for the other.
			knowsLocks := func(ctx context.Context, r *journey.Run) {
				pods.CreateWithClaim(ctx, r.Env, "disagrees", c.inSubnet("lanes", "b"))
				pods.CreateWithClaim(ctx, r.Env, "b-too", c.inSubnet("slots", "b"))
				pods.WaitForEachUnschedulable(ctx, r.Env, map[string]string{
					"disagrees":    "the device is locked to another value",
					"a-1":          "claims on the device state different values",
					"b-too":        "claims on the device state different values",
					"after-silent": "a claim on the device states no value",
					"too-many":     "four quarters of the card are taken",
				})
				pods.DeleteWithClaim(ctx, r.Env, "disagrees")
				pods.DeleteWithClaim(ctx, r.Env, "b-too")
			}
			return []journey.Step{
				{Text: "the bundled scheduler locks a device to a value", Do: func(ctx context.Context, r *journey.Run) {
					c = newCards(ctx, r, 1)
					c.CreatePool(ctx, simulated.Pool{Node: c.Names[0], Name: "nics"}, described("nic"))
					kept(ctx, r, "quarter-0", c.part("1Gi"))
					c.keepInA(ctx, r, "a-0", "slots")
					c.keepInA(ctx, r, "agrees-0", "lanes")
					pods.CreateWithClaim(ctx, r.Env, "b-0", c.inSubnet("slots", "b"))
					pods.WaitForUnschedulable(ctx, r.Env, "b-0", "the device is locked to another value")
				}},
				{Text: "kube-scheduler takes over from it while pods come: they get what is left, the device is shared, and only a driver keeps values apart", Do: func(ctx context.Context, r *journey.Run) {
					start(ctx, r, c, "before", 3)
					take(ctx, r, kind.KubeScheduler)
					pods.WaitForScheduled(ctx, r.Env, "before-0", "before-1", "before-2")
					r.CheckAfterEachStep(ctx, "before-0", "before-1", "before-2")
					pods.WaitForScheduled(ctx, r.Env, "b-0")
					r.CheckAfterEachStep(ctx, "b-0")
					c.keepInA(ctx, r, "agrees-1", "lanes")
					kept(ctx, r, "silent-0", c.with("ports", "4"))
					pods.CreateWithRequests(ctx, r.Env, "too-many", c.part("1Gi"))
					pods.WaitForUnschedulable(ctx, r.Env, "too-many", "four quarters of the card are taken")
					judge(ctx, r, "affinity-driver-is-backstop")
				}},
				{Text: "the bundled scheduler is back: it knows a device's lock if all claims on it agree, and nothing of others", Do: func(ctx context.Context, r *journey.Run) {
					take(ctx, r, kind.DraconformScheduler)
					c.keepInA(ctx, r, "agrees-2", "lanes")
					pods.CreateWithClaim(ctx, r.Env, "a-1", c.inSubnet("slots", "a"))
					pods.CreateWithClaim(ctx, r.Env, "after-silent", c.inSubnet("ports", "a"))
					knowsLocks(ctx, r)
				}},
				{Text: "the bundled scheduler is killed, and finds the same locks again", Do: func(ctx context.Context, r *journey.Run) {
					r.Kill(ctx, change.Scheduler)
					knowsLocks(ctx, r)
					c.keepInA(ctx, r, "agrees-3", "lanes")
				}},
				{Text: "the claims on them end, one after the other: only then they are locked again, to the value of the next", Do: func(ctx context.Context, r *journey.Run) {
					r.StopChecking("b-0", "silent-0")
					r.Kill(ctx, change.ControllerManager)
					pods.DeleteWithClaim(ctx, r.Env, "b-0")
					pods.DeleteWithClaim(ctx, r.Env, "silent-0")
					pods.WaitForScheduled(ctx, r.Env, "after-silent")
					pods.CreateWithClaim(ctx, r.Env, "a-2", c.inSubnet("slots", "a"))
					pods.WaitForAllUnschedulable(ctx, r.Env, "a claim that was on the device while nobody knew its value has not ended", "a-1", "a-2")
					r.StopChecking("a-0")
					pods.DeleteWithClaim(ctx, r.Env, "a-0")
					pods.WaitForScheduled(ctx, r.Env, "a-1", "a-2")
					r.CheckAfterEachStep(ctx, "a-1", "a-2")
					pods.CreateWithClaim(ctx, r.Env, "b-1", c.inSubnet("slots", "b"))
					pods.WaitForUnschedulable(ctx, r.Env, "b-1", "the device is locked to another value")
				}},
			}
		},
	},
}

// judge runs one spec during a journey.
func judge(ctx context.Context, r *journey.Run, spec string) {
	chosen, err := suite.Selection{IDs: []string{spec}}.Select(specs.All())
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(suite.ExpectSpecsPass(ctx, r, chosen)).To(gomega.Equal(1), "spec %s should be able to judge the cluster", spec)
}

// keepInA starts a pod with a share of a device of nic.yaml in subnet a and
// requires that it is not disturbed afterwards.
func (c *cards) keepInA(ctx context.Context, r *journey.Run, name, capacity string) {
	ginkgo.GinkgoHelper()
	pods.CreateWithClaim(ctx, r.Env, name, c.inSubnet(capacity, "a"))
	pods.WaitForScheduled(ctx, r.Env, name)
	r.CheckAfterEachStep(ctx, name)
}

// start starts pods that request quarters of cards and does not wait for them.
func start(ctx context.Context, r *journey.Run, c *cards, name string, podCount int) {
	for i := range podCount {
		pods.CreateWithRequests(ctx, r.Env, fmt.Sprintf("%s-%d", name, i), c.part("1Gi"))
	}
}
