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
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
)

var upgradeUnderWorkloads = suite.Spec{
	ID: "upgrade-under-workloads",
	Description: "Pods with partitions and shares keep running while every component of their cluster is upgraded " +
		"and downgraded, and new pods run after every step. Claims of all sources are kept, and pods " +
		"from before a change can be deleted after it.",
	Profile:   profile,
	Level:     suite.Core,
	Features:  []features.Feature{features.Core, features.Partitions, features.SharedDevices, features.ExtendedResources, features.DeviceStatus},
	Component: env.Cluster,
	Kinds:     []subject.Kind{subject.KindPartition, subject.KindShared},
	Needs:     []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"4815-upgrade-leaves-pods-running",
		"4381-kubelet-remembers-prepared-claims",
		"4381-upgrades-keep-objects",
		"4381-pods-end-after-upgrades",
		"4817-upgrades-keep-status",
	},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: releaseBefore(clusters.Newest().Minor), Gates: "default", Scheduler: skew.KubeScheduler, Workers: 2},
		Steps: func() []journey.Step {
			newest := clusters.Newest().Minor
			var kept *keptPods
			step := func(text string, change func(ctx context.Context, r *journey.Run)) journey.Step {
				return journey.Step{Text: text, Do: func(ctx context.Context, r *journey.Run) {
					change(ctx, r)
					createAndDeletePods(ctx, r)
				}}
			}
			return []journey.Step{
				{Text: "pods run with partitions and shares, and pods with claims of all sources are scheduled", Do: func(ctx context.Context, r *journey.Run) {
					for i := range 3 {
						r.CreateCheckedPod(ctx, fmt.Sprintf("gpu-%d", i), r.Subject.Partitions.Small)
						r.CreateCheckedPod(ctx, fmt.Sprintf("nic-%d", i), r.Subject.Shared.Share)
					}
					kept = createKeptPods(ctx, r)
				}},
				step("the API server is upgraded to "+newest, func(ctx context.Context, r *journey.Run) { r.Upgrade(ctx, newest, skew.APIServer) }),
				step("the controller manager and the scheduler are upgraded and killed", func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, newest, skew.ControllerManager, skew.Scheduler)
					r.Kill(ctx, skew.ControllerManager)
					r.Kill(ctx, skew.Scheduler)
					// The skew journeys have older kubelets. The partitions are
					// in use here.
					expectSmokeSpecsPass(ctx, r, []subject.Kind{subject.KindShared})
				}),
				{Text: "the kubelets and proxies are upgraded: pods from before it are deleted, and others get their devices", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, newest)
					r.ReplacePods(ctx, "gpu-0", "nic-0", "generated", "extended")
					kept.expectWaits(ctx, r)
				}},
				{Text: "all components are downgraded again: pods from before it are deleted, and others get their devices", Do: func(ctx context.Context, r *journey.Run) {
					r.Upgrade(ctx, releaseBefore(newest))
					kept.deleteRule(ctx, r)
					r.ReplacePods(ctx, "gpu-0-again", "nic-1", "generated-again", "extended-again")
				}},
			}
		},
	},
}

// releaseBefore returns the supported release before the given one.
func releaseBefore(minor string) string {
	all := clusters.Releases()
	for i, r := range all[:len(all)-1] {
		if r.Minor == minor {
			return all[i+1].Minor
		}
	}
	panic("no release is supported before " + minor)
}

// createAndDeletePods runs and deletes pods with devices that other pods used
// before.
func createAndDeletePods(ctx context.Context, r *journey.Run) {
	r.OnNodes(func() {
		pods.CreateWithRequests(ctx, r.Env, "partition", []devices.Request{{Name: "device", Device: r.Subject.Partitions.Small}})
		pods.WaitForRunning(ctx, r.Env, "partition")
		pods.DeleteWithClaim(ctx, r.Env, "partition")
		createAndDeleteSharingPod(ctx, r)
	})
}
