// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/clusters/skew"
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
	Level:        suite.Core,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Kinds:        []subject.Kind{subject.KindExclusive},
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-upgrade-leaves-pods-running", "4815-early-use-fails-for-new-pods-only"},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: "1.35", Gates: "default", Scheduler: skew.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			var n *gpuNodes
			return []journey.Step{
				{Text: "1.35, where the feature is disabled: other devices are allocated", Do: func(ctx context.Context, r *journey.Run) {
					for i := range 3 {
						r.CreateCheckedPod(ctx, fmt.Sprintf("gpu-%d", i), r.Subject.Exclusive.Device)
					}
					n = createPlainNodes(ctx, r, 1)
					createCheckedPod(ctx, r, "plain-of-1.35", n.plain())
				}},
				{Text: "the API server has 1.36 and the driver publishes partitions: they are not allocated, other devices are", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.36", skew.APIServer)
					n.publishGPUs(ctx)
					pods.CreateWithRequests(ctx, r.Env, "quarter-0", n.partition("1Gi"))
					createCheckedPod(ctx, r, "plain-of-the-rollout", n.plain())
					pods.WaitForPending(ctx, r.Env, "the scheduler of 1.35 does not support the counters of partitions", "quarter-0")
				}},
				{Text: "all components have 1.36: pending claims are allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.36")
					pods.WaitForScheduled(ctx, r.Env, "quarter-0")
					r.CheckAfterEachStep(ctx, "quarter-0")
				}},
				{Text: "all components have 1.37: partitions are allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.37")
					createCheckedPod(ctx, r, "half-of-1.37", n.partition("2Gi"))
				}},
				{Text: "downgrade to 1.36 while the scheduler is killed: remaining partitions are allocated, and no more", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.36", skew.Kubelet, skew.Proxy, skew.Scheduler)
					r.Kill(ctx, skew.Scheduler)
					r.Upgrade(ctx, "1.36")
					pods.CreateWithRequests(ctx, r.Env, "half-too-many", n.partition("2Gi"))
					pods.WaitForUnschedulable(ctx, r.Env, "half-too-many", "a half and a quarter of the GPU are allocated")
				}},
				{Text: "downgrade to 1.35, where the feature is disabled: partitions are not allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.35")
					pods.CreateWithRequests(ctx, r.Env, "quarter-1", n.partition("1Gi"))
					createCheckedPod(ctx, r, "plain-of-1.35-again", n.plain())
					pods.WaitForPending(ctx, r.Env, "the scheduler does not support the counters of partitions", "quarter-1", "half-too-many")
				}},
				{Text: "the control plane has 1.36 again: remaining partitions are allocated, and no more", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.36", controlPlane...)
					pods.WaitForScheduled(ctx, r.Env, "quarter-1")
					pods.CreateWithRequests(ctx, r.Env, "half-again", n.partition("2Gi"))
					pods.WaitForAllUnschedulable(ctx, r.Env, "a half and two quarters of the GPU are allocated", "half-too-many", "half-again")
				}},
			}
		},
	},
}
