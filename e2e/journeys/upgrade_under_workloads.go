package journeys

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

var upgradeUnderWorkloads = suite.Spec{
	ID: "upgrade-under-workloads",
	Sentence: "Pods with partitions and shares keep running while every component of their cluster is upgraded " +
		"and downgraded, and new pods run after every step.",
	Profile:      profile,
	Features:     []features.Feature{features.Core, features.Partitions, features.SharedDevices},
	Judges:       suite.JudgesCluster,
	Kinds:        []subject.Kind{subject.KindPartition, subject.KindShared},
	Requirements: []string{"4815-upgrade-leaves-pods-running"},
	Journey: &suite.Journey{
		Start: suite.Start{Release: before(clusters.Newest().Minor), Gates: "default", Scheduler: kind.KubeScheduler, Workers: 2},
		Stops: func() []suite.Stop {
			newest := clusters.Newest().Minor
			step := func(text string, change func(ctx context.Context, r *suite.JourneyRun)) suite.Stop {
				return suite.Stop{Text: text, Do: func(ctx context.Context, r *suite.JourneyRun) {
					change(ctx, r)
					comesAndGoes(ctx, r)
				}}
			}
			return []suite.Stop{
				{Text: "pods run with partitions and shares", Do: func(ctx context.Context, r *suite.JourneyRun) {
					for i := range 3 {
						r.Traveller(ctx, fmt.Sprintf("gpu-%d", i), r.Subject.Partitions.Small)
						r.Traveller(ctx, fmt.Sprintf("nic-%d", i), r.Subject.Shared.Share)
					}
				}},
				step("the API server goes up to "+newest, func(ctx context.Context, r *suite.JourneyRun) { r.Upgrade(ctx, newest, change.APIServer) }),
				step("the controller manager and the scheduler follow, and are killed", func(ctx context.Context, r *suite.JourneyRun) {
					r.Upgrade(ctx, newest, change.ControllerManager, change.Scheduler)
					r.Kill(ctx, change.ControllerManager)
					r.Kill(ctx, change.Scheduler)
					// The skew journeys have older kubelets. The partitions are in
					// use here.
					smoke(ctx, r, []subject.Kind{subject.KindShared})
				}),
				step("the kubelets and proxies follow", func(ctx context.Context, r *suite.JourneyRun) { r.Upgrade(ctx, newest) }),
				step("all go down again", func(ctx context.Context, r *suite.JourneyRun) { r.Upgrade(ctx, before(newest)) }),
			}
		},
	},
}

// before returns the supported release before the given one.
func before(minor string) string {
	all := clusters.Releases()
	for i, r := range all[:len(all)-1] {
		if r.Minor == minor {
			return all[i+1].Minor
		}
	}
	panic("no release is supported before " + minor)
}

// comesAndGoes runs and deletes pods with devices that other pods used before.
func comesAndGoes(ctx context.Context, r *suite.JourneyRun) {
	r.Start(ctx, "partition", []suite.Request{{Name: "device", Device: r.Subject.Partitions.Small}})
	r.Runs(ctx, "partition")
	r.Removed(ctx, "partition")
	share(ctx, r)
}
