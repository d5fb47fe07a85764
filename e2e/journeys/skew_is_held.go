package journeys

import (
	"context"
	"slices"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

// Skew is held still in two ways: with the gates of partitions and shared devices
// on from 1.35 on, whose slices look alike since then, and with those that are on
// by default from 1.34 on.
var (
	skewIsHeld = heldSkew("skew-is-held", "1.35", "DRAConsumableCapacity=true,DRAPartitionableDevices=true",
		"Whatever skew Kubernetes supports between its components since 1.35, the specs with the label smoke pass.")
	skewOfThreeReleasesIsHeld = heldSkew("skew-of-three-releases-is-held", "1.34", "default",
		"With kubelets that are three releases older than the API server, and on the way there, the specs with the label smoke pass.")
)

// heldSkew is a journey from a release to the newest that leaves the kubelets
// behind and runs specs wherever components differ.
func heldSkew(id, release, gates, sentence string) suite.Spec {
	return suite.Spec{
		ID: id, Sentence: sentence, Profile: profile, Features: []features.Feature{features.Core}, Judges: suite.JudgesCluster,
		Kinds:   []subject.Kind{subject.KindPartition, subject.KindMultiHost, subject.KindShared},
		Needs:   []suite.Need{suite.NeedsStage},
		Journey: &suite.Journey{Start: suite.Start{Release: release, Gates: gates, Scheduler: kind.KubeScheduler, Workers: 4}, Stops: func() []suite.Stop { return skews(release) }},
	}
}

func skews(release string) []suite.Stop {
	stops := []suite.Stop{{Text: "all have " + release, Do: smoke}}
	for _, next := range after(release) {
		stops = append(stops,
			suite.Stop{Text: "the API server has " + next, Do: func(ctx context.Context, e *suite.Env) {
				e.Upgrade(ctx, next, change.APIServer)
				smoke(ctx, e)
			}},
			suite.Stop{Text: "the rest of the control plane has " + next + ", the kubelets have " + release, Do: func(ctx context.Context, e *suite.Env) {
				e.Upgrade(ctx, next, change.ControllerManager, change.Scheduler)
				smoke(ctx, e)
			}},
		)
	}
	return append(stops, suite.Stop{Text: "all have " + clusters.Newest().Minor, Do: func(ctx context.Context, e *suite.Env) {
		e.Upgrade(ctx, clusters.Newest().Minor)
		smoke(ctx, e)
	}})
}

// after are the supported releases after one, the oldest first.
func after(release string) []string {
	var all []string
	for _, r := range clusters.Releases() {
		if r.AtLeast(release) && r.Minor != release {
			all = append(all, r.Minor)
		}
	}
	slices.Reverse(all)
	return all
}

// smoke runs the specs with the label smoke that the cluster supports by now.
func smoke(ctx context.Context, e *suite.Env) {
	few := slices.DeleteFunc(specs.All(), func(s suite.Spec) bool { return !s.Smoke })
	gomega.Expect(e.Judge(ctx, few)).To(gomega.BeNumerically(">", 0), "at least one spec should be able to judge the cluster")
}
