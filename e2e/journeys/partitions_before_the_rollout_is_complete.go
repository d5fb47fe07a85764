package journeys

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
)

var partitionsBeforeTheRolloutIsComplete = suite.Spec{
	ID: "partitions-before-the-rollout-is-complete",
	Description: "Partitions that are published before all components support them are not allocated until the " +
		"scheduler does, and no device is allocated twice after the downgrade.",
	Profile:      profile,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Kinds:        []subject.Kind{subject.KindExclusive},
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-upgrade-leaves-pods-running", "4815-early-use-fails-for-new-pods-only"},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: "1.35", Gates: "default", Scheduler: kind.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			var c *cards
			return []journey.Step{
				{Text: "1.35, where the feature is off: other devices are allocated", Do: func(ctx context.Context, r *journey.Run) {
					for i := range 3 {
						r.CreateCheckedPod(ctx, fmt.Sprintf("gpu-%d", i), r.Subject.Exclusive.Device)
					}
					c = newPlain(ctx, r, 1)
					kept(ctx, r, "plain-of-1.35", c.plain())
				}},
				{Text: "the API server has 1.36 and the driver publishes partitions: they are not allocated, other devices are", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.36", change.APIServer)
					c.publish(ctx)
					pods.CreateWithRequests(ctx, r.Env, "quarter-0", c.part("1Gi"))
					kept(ctx, r, "plain-of-the-rollout", c.plain())
					pods.WaitForPending(ctx, r.Env, "the scheduler of 1.35 does not count what parts of a card consume", "quarter-0")
				}},
				{Text: "all have 1.36: what waited is allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.36")
					pods.WaitForScheduled(ctx, r.Env, "quarter-0")
					r.CheckAfterEachStep(ctx, "quarter-0")
				}},
				{Text: "all have 1.37: partitions are allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.37")
					kept(ctx, r, "half-of-1.37", c.part("2Gi"))
				}},
				{Text: "back to 1.36, with the scheduler killed on the way: what is left is allocated, and no more", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.36", change.Kubelet, change.Proxy, change.Scheduler)
					r.Kill(ctx, change.Scheduler)
					r.Upgrade(ctx, "1.36")
					pods.CreateWithRequests(ctx, r.Env, "half-too-many", c.part("2Gi"))
					pods.WaitForUnschedulable(ctx, r.Env, "half-too-many", "a half and a quarter of the card are taken")
				}},
				{Text: "back to 1.35, where the feature is off: partitions are not allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.35")
					pods.CreateWithRequests(ctx, r.Env, "quarter-1", c.part("1Gi"))
					kept(ctx, r, "plain-of-1.35-again", c.plain())
					pods.WaitForPending(ctx, r.Env, "the scheduler does not count what parts of a card consume", "quarter-1", "half-too-many")
				}},
				{Text: "the control plane has 1.36 again: what is left is allocated, and no more", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.36", controlPlane...)
					pods.WaitForScheduled(ctx, r.Env, "quarter-1")
					pods.CreateWithRequests(ctx, r.Env, "half-again", c.part("2Gi"))
					pods.WaitForAllUnschedulable(ctx, r.Env, "a half and two quarters of the card are taken", "half-too-many", "half-again")
				}},
			}
		},
	},
}
