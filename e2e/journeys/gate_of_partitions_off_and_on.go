// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
)

var gateOfPartitionsOffAndOn = suite.Spec{
	ID: "gate-of-partitions-off-and-on",
	Description: "While the gate DRAPartitionableDevices is disabled, running pods keep their partitions, and new " +
		"claims for partitions are pending. When it is enabled again, they are allocated what is available.",
	Profile:   profile,
	Level:     suite.Core,
	Features:  []features.Feature{features.Core, features.Partitions},
	Component: env.Cluster,
	Kinds:     []subject.Kind{subject.KindPartition},
	Needs:     []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"4815-off-pods-go-on",
		"4815-off-keeps-fields-in-use",
		"4815-off-scheduler-goes-on",
	},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: clusters.Newest().Minor, Gates: "default", Scheduler: skew.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			var n *gpuNodes
			return []journey.Step{
				{Text: "partitions run and are scheduled", Do: func(ctx context.Context, r *journey.Run) {
					for i := range podsToRestart {
						r.CreateCheckedPod(ctx, fmt.Sprintf("gpu-%d", i), r.Subject.Partitions.Small)
					}
					n = createGPUNodes(ctx, r, 1)
					createCheckedPod(ctx, r, "half", n.partition("2Gi"))
				}},
				{Text: "the gate is disabled: partitions are not allocated, other devices are", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "DRAPartitionableDevices=false", deviceGateComponents...)
					pods.CreateWithRequests(ctx, r.Env, "quarter-0", n.partition("1Gi"))
					createCheckedPod(ctx, r, "plain", n.plain())
					pods.WaitForPending(ctx, r.Env, "the scheduler does not support the counters of partitions", "quarter-0")
				}},
				{Text: "updated slices keep their fields", Do: func(ctx context.Context, r *journey.Run) {
					n.expectUpdatesAccepted(ctx, r)
					pods.CreateWithRequests(ctx, r.Env, "quarter-1", n.partition("1Gi"))
					pods.WaitForPending(ctx, r.Env, "the scheduler does not support the counters of partitions", "quarter-0", "quarter-1")
				}},
				{Text: "the gate is enabled: pending claims are allocated, and no more than fit", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", deviceGateComponents...)
					pods.WaitForScheduled(ctx, r.Env, "quarter-0", "quarter-1")
					pods.CreateWithRequests(ctx, r.Env, "whole", n.partition("4Gi"))
					pods.CreateWithRequests(ctx, r.Env, "quarter-2", n.partition("1Gi"))
					pods.WaitForAllUnschedulable(ctx, r.Env, "a half and two quarters of the GPU are allocated", "whole", "quarter-2")
				}},
				{Text: "the gate is disabled for the scheduler only: partitions are not allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "DRAPartitionableDevices=false", scheduler...)
					pods.DeleteWithClaim(ctx, r.Env, "quarter-0")
					pods.DeleteWithClaim(ctx, r.Env, "quarter-1")
					pods.CreateWithRequests(ctx, r.Env, "quarter-3", n.partition("1Gi"))
					pods.WaitForPending(ctx, r.Env, "the scheduler does not support the counters of partitions", "whole", "quarter-2", "quarter-3")
				}},
				{Text: "the gate is disabled for the API server only: no fields are lost, remaining partitions are allocated, and new slices have no counters", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "DRAPartitionableDevices=false", apiServer...)
					r.SetGates(ctx, "default", scheduler...)
					pods.WaitForScheduled(ctx, r.Env, "quarter-2", "quarter-3")
					pods.WaitForUnschedulable(ctx, r.Env, "whole", "a half and two quarters of the GPU are allocated")
					expectSpecPasses(ctx, r, "partition-fields-are-dropped")
				}},
				{Text: "the gate is enabled everywhere again: a released half is allocated, and no more", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", apiServer...)
					r.StopChecking("half")
					pods.DeleteWithClaim(ctx, r.Env, "half")
					createCheckedPod(ctx, r, "another-half", n.partition("2Gi"))
					pods.CreateWithRequests(ctx, r.Env, "half-too-many", n.partition("2Gi"))
					pods.WaitForAllUnschedulable(ctx, r.Env, "a half and two quarters of the GPU are allocated", "whole", "half-too-many")
				}},
			}
		},
	},
}
