// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/draconform/draconform/clusters/skew"
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
	Level:        suite.Core,
	Features:     []features.Feature{features.Core, features.Partitions},
	Component:    env.Cluster,
	Kinds:        []subject.Kind{subject.KindExclusive, subject.KindPartition},
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsDriverCalls},
	Requirements: []string{"4815-old-slices-are-invalid", "4815-upgrade-leaves-pods-running"},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: "1.34", Gates: "DRAPartitionableDevices=true", Scheduler: skew.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			var n *gpuNodes
			return []journey.Step{
				{Text: "1.34: partitions and other devices are allocated", Do: func(ctx context.Context, r *journey.Run) {
					for i := range 3 {
						r.CreateCheckedPod(ctx, fmt.Sprintf("gpu-%d", i), r.Subject.Partitions.Small)
					}
					n = createGPUNodes(ctx, r, 2)
					createCheckedPod(ctx, r, "half-of-1.34", n.partition("2Gi"))
					createCheckedPod(ctx, r, "plain-of-1.34", n.plain())
				}},
				{Text: "upgrade to 1.35 with slices of 1.34: partitions are not allocated, other devices are, and the slices cannot be updated", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.35")
					expectUpdatesRejected(ctx, r, n)
					pods.CreateWithRequests(ctx, r.Env, "half-of-1.35", n.partition("2Gi"))
					createCheckedPod(ctx, r, "plain-of-1.35", n.plain())
					pods.WaitForPending(ctx, r.Env, "the pools of the GPUs are not valid in 1.35", "half-of-1.35")
				}},
				{Text: "drivers publish in the layout of 1.35: pending claims are allocated", Do: func(ctx context.Context, r *journey.Run) {
					restartPartitionDriver(ctx, r)
					expectSpecPasses(ctx, r, "init-containers-see-devices")
					n.deleteGPUs(ctx)
					n.publishGPUs(ctx)
					pods.WaitForScheduled(ctx, r.Env, "half-of-1.35")
					r.CheckAfterEachStep(ctx, "half-of-1.35")
				}},
				// According to the KEP, 1.34 allocates nothing from such pools.
				// In fact it does not find their counters and ignores them, so
				// both results are accepted.
				{Text: "downgrade to 1.34 with slices of 1.35: running pods are not affected", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, "1.34")
					pods.CreateWithRequests(ctx, r.Env, "half-again", n.partition("2Gi"))
					createCheckedPod(ctx, r, "plain-of-1.34-again", n.plain())
				}},
				{Text: "drivers publish in the layout of 1.34: claims that fit are allocated", Do: func(ctx context.Context, r *journey.Run) {
					restartPartitionDriver(ctx, r)
					expectSpecPasses(ctx, r, "init-containers-see-devices")
					n.deleteGPUs(ctx)
					n.publishGPUs(ctx)
					pods.WaitForScheduled(ctx, r.Env, "half-again")
					r.CheckAfterEachStep(ctx, "half-again")
				}},
				{Text: "upgrade to 1.35 without slices, then the driver publishes: the remaining partitions are allocated, and no more", Do: func(ctx context.Context, r *journey.Run) {
					n.deleteGPUs(ctx)
					r.Upgrade(ctx, "1.35")
					n.publishGPUs(ctx)
					for _, name := range []string{"quarter-0", "quarter-1"} {
						createCheckedPod(ctx, r, name, n.partition("1Gi"))
					}
					pods.CreateWithRequests(ctx, r.Env, "quarter-2", n.partition("1Gi"))
					pods.WaitForUnschedulable(ctx, r.Env, "quarter-2", "three halves and two quarters of two GPUs are allocated")
				}},
				{Text: "downgrade to 1.34 without slices, then the driver publishes: released partitions are allocated, and no more", Do: func(ctx context.Context, r *journey.Run) {
					n.deleteGPUs(ctx)
					r.Upgrade(ctx, "1.34")
					n.publishGPUs(ctx)
					r.StopChecking("quarter-0")
					pods.DeleteWithClaim(ctx, r.Env, "quarter-0")
					pods.WaitForScheduled(ctx, r.Env, "quarter-2")
					pods.CreateWithRequests(ctx, r.Env, "quarter-3", n.partition("1Gi"))
					pods.WaitForUnschedulable(ctx, r.Env, "quarter-3", "three halves and two quarters of two GPUs are allocated")
				}},
			}
		},
	},
}

// expectUpdatesRejected asserts that the API server rejects updates of the
// slices of the GPUs in their current layout.
func expectUpdatesRejected(ctx context.Context, r *journey.Run, n *gpuNodes) {
	for _, err := range n.updateGPUs(ctx, r) {
		gomega.Expect(apierrors.IsInvalid(err)).To(gomega.BeTrue(), "the API server should reject a slice with devices and counters: %v", err)
	}
}
