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
		"and downgraded, and new pods run after every step.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     []features.Feature{features.Core, features.Partitions, features.SharedDevices},
	Component:    env.Cluster,
	Kinds:        []subject.Kind{subject.KindPartition, subject.KindShared},
	Requirements: []string{"4815-upgrade-leaves-pods-running"},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: releaseBefore(clusters.Newest().Minor), Gates: "default", Scheduler: skew.KubeScheduler, Workers: 2},
		Steps: func() []journey.Step {
			newest := clusters.Newest().Minor
			step := func(text string, change func(ctx context.Context, r *journey.Run)) journey.Step {
				return journey.Step{Text: text, Do: func(ctx context.Context, r *journey.Run) {
					change(ctx, r)
					createAndDeletePods(ctx, r)
				}}
			}
			return []journey.Step{
				{Text: "pods run with partitions and shares", Do: func(ctx context.Context, r *journey.Run) {
					for i := range 3 {
						r.CreateCheckedPod(ctx, fmt.Sprintf("gpu-%d", i), r.Subject.Partitions.Small)
						r.CreateCheckedPod(ctx, fmt.Sprintf("nic-%d", i), r.Subject.Shared.Share)
					}
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
				step("the kubelets and proxies are upgraded", func(ctx context.Context, r *journey.Run) { r.Upgrade(ctx, newest) }),
				step("all components are downgraded again", func(ctx context.Context, r *journey.Run) { r.Upgrade(ctx, releaseBefore(newest)) }),
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
	pods.CreateWithRequests(ctx, r.Env, "partition", []devices.Request{{Name: "device", Device: r.Subject.Partitions.Small}})
	pods.WaitForRunning(ctx, r.Env, "partition")
	pods.DeleteWithClaim(ctx, r.Env, "partition")
	createAndDeleteSharingPod(ctx, r)
}
