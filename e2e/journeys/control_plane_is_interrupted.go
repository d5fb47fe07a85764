// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"
	"fmt"
	"time"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// apiServerDowntime is how long the API server is stopped. It exceeds the
// durations of node leases and leader election leases.
const apiServerDowntime = time.Minute

var controlPlaneIsInterrupted = suite.Spec{
	ID: "control-plane-is-interrupted",
	Description: "When a component of the control plane is killed or stopped during its work, running pods are not " +
		"affected, and the work is completed when the component is back.",
	Profile:   profile,
	Level:     suite.Core,
	Features:  []features.Feature{features.Core, features.Partitions},
	Component: env.Cluster,
	Kinds:     []subject.Kind{subject.KindPartition},
	Needs:     []env.Need{env.NeedsSimulatedNodes},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: clusters.Newest().Minor, Gates: "default", Scheduler: skew.DraconformScheduler, Workers: 1},
		Steps: func() []journey.Step {
			var n *gpuNodes
			return []journey.Step{
				{Text: "partitions run", Do: func(ctx context.Context, r *journey.Run) {
					for i := range 4 {
						r.CreateCheckedPod(ctx, fmt.Sprintf("gpu-%d", i), r.Subject.Partitions.Small)
					}
					n = createGPUNodes(ctx, r, 3)
				}},
				{Text: "the scheduler is killed while pods are pending: each pod is scheduled once", Do: func(ctx context.Context, r *journey.Run) {
					createPods(ctx, r, n, "first", 6)
					r.Kill(ctx, skew.Scheduler)
					createPods(ctx, r, n, "second", 6)
					pods.WaitForScheduled(ctx, r.Env, podNames("first", 6)...)
					pods.WaitForScheduled(ctx, r.Env, podNames("second", 6)...)
					pods.CreateWithRequests(ctx, r.Env, "too-many", n.partition("1Gi"))
					pods.WaitForUnschedulable(ctx, r.Env, "too-many", "the twelve quarters of three GPUs are allocated")
				}},
				{Text: "the controller manager is killed while pods terminate: their devices are deallocated", Do: func(ctx context.Context, r *journey.Run) {
					pods.Delete(ctx, r.Env, podNames("first", 6)...)
					r.Kill(ctx, skew.ControllerManager)
					pods.WaitForScheduled(ctx, r.Env, "too-many")
					claims.WaitForDeallocated(ctx, r.Env, podNames("first", 6)...)
				}},
				{Text: fmt.Sprintf("the API server is stopped for %s: running pods are not affected", apiServerDowntime), Do: func(ctx context.Context, r *journey.Run) {
					r.WithComponentStopped(ctx, skew.APIServer, func() { r.WaitDuration(ctx, apiServerDowntime) })
					createScheduledPod(ctx, r, "afterwards", n.partition("1Gi"))
				}},
				{Text: "scheduler and controller manager are stopped while pods are created, and a claim and its pod are deleted: the pods are scheduled afterwards, and the claim is removed", Do: func(ctx context.Context, r *journey.Run) {
					r.WithComponentStopped(ctx, skew.Scheduler, func() {
						r.WithComponentStopped(ctx, skew.ControllerManager, func() {
							createPods(ctx, r, n, "late", 4)
							claims.DeleteWithoutWaiting(ctx, r.Env, "second-0")
							pods.Delete(ctx, r.Env, "second-0")
						})
					})
					pods.WaitForScheduled(ctx, r.Env, podNames("late", 4)...)
					claims.WaitForDeleted(ctx, r.Env, "second-0", "its pod was deleted while no controller ran")
				}},
			}
		},
	},
}

// podNames returns the names of the pods that createPods creates.
func podNames(name string, pods int) []string {
	var names []string
	for i := range pods {
		names = append(names, fmt.Sprintf("%s-%d", name, i))
	}
	return names
}
