// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// The skew journeys run in two variants: from 1.35 with devices of all kinds,
// and from 1.34 without multi-host devices, so that kubelets are three releases
// older in the end.
var (
	skewIsHeld = newSkewJourney("skew-is-held", "1.35", "DRAConsumableCapacity=true,DRAPartitionableDevices=true", 4,
		"The specs with the label smoke pass with every skew between components that Kubernetes supports since 1.35.",
		[]string{"4815-older-scheduler-serves", "4381-upgrades-keep-objects", "4381-pods-end-after-upgrades"}, subject.KindExclusive, subject.KindPartition, subject.KindMultiHost, subject.KindShared)
	skewOfThreeReleasesIsHeld = newSkewJourney("skew-of-three-releases-is-held", "1.34", "DRAConsumableCapacity=true,DRAPartitionableDevices=true", 1,
		"The specs with the label smoke pass with kubelets three releases older than the API server, and on the way there.",
		[]string{"4381-drivers-serve-older-kubelets", "4381-upgrades-keep-objects", "4381-pods-end-after-upgrades"}, subject.KindExclusive, subject.KindPartition, subject.KindShared)
)

// newSkewJourney returns a journey from a release to the newest one that
// upgrades the kubelets last, and runs pods and specs with the given kinds of
// devices at each skew.
func newSkewJourney(id, release, gates string, workers int, description string, proves []string, kinds ...subject.Kind) suite.Spec {
	return suite.Spec{
		ID: id, Description: description, Profile: profile, Level: suite.Core, Features: []features.Feature{features.Core, features.SharedDevices}, Component: env.Cluster,
		Kinds: kinds, Needs: []env.Need{env.NeedsSimulatedNodes, env.NeedsDriverCalls}, Requirements: proves,
		Journey: &journey.Journey{
			InitialCluster: journey.InitialCluster{Release: release, Gates: gates, Scheduler: skew.KubeScheduler, Workers: workers},
			Steps:          func() []journey.Step { return skewSteps(release, workers, kinds) },
		},
	}
}

func skewSteps(release string, workers int, kinds []subject.Kind) []journey.Step {
	newest := clusters.Newest().Minor
	newStep := func(text, to string, components []skew.Component, lacking ...features.Feature) journey.Step {
		return journey.Step{Text: text, Do: func(ctx context.Context, r *journey.Run) {
			r.Upgrade(ctx, to, components...)
			if slices.Contains(components, skew.APIServer) {
				restartPartitionDriver(ctx, r)
			}
			createAndDeleteSharingPod(ctx, r)
			expectSmokeSpecsPass(ctx, r, kinds, lacking...)
		}}
	}
	steps := []journey.Step{{Text: "all components have " + release, Do: func(ctx context.Context, r *journey.Run) {
		for i := range 3 {
			r.CreateCheckedPod(ctx, fmt.Sprintf("nic-%d", i), r.Subject.Shared.Share)
		}
		if workers > 1 { // The specs need an exclusive GPU.
			r.CreateCheckedPod(ctx, "gpu", r.Subject.Partitions.Whole)
		}
		expectSmokeSpecsPass(ctx, r, kinds)
	}}}
	for _, next := range releasesAfter(release) {
		if release == "1.34" && next != "1.35" { // The journey from 1.35 covers newer API servers.
			steps = append(steps, newStep("the control plane has "+next+", the kubelets have "+release, next, controlPlane))
			continue
		}
		var lacking []features.Feature
		if next == "1.35" { // The scheduler of 1.34 does not find counters in the slices of the API server of 1.35.
			lacking = []features.Feature{features.Partitions}
		}
		steps = append(steps,
			newStep("the API server has "+next, next, apiServer, lacking...),
			newStep("the rest of the control plane has "+next+", the kubelets have "+release, next, controllersAndScheduler),
		)
	}
	return append(steps, newStep("all components have "+newest, newest, nil))
}

// releasesAfter returns the supported releases after the given one, the oldest
// first.
func releasesAfter(release string) []string {
	var all []string
	for _, r := range clusters.Releases() {
		if r.AtLeast(release) && r.Minor != release {
			all = append(all, r.Minor)
		}
	}
	slices.Reverse(all)
	return all
}

// expectSmokeSpecsPass runs the specs with the label smoke that use only the
// given kinds of devices. They must be able to run in the cluster, except those
// that need a lacking feature.
func expectSmokeSpecsPass(ctx context.Context, r *journey.Run, kinds []subject.Kind, lacking ...features.Feature) {
	smokeSpecs := slices.DeleteFunc(specs.All(), func(s suite.Spec) bool {
		return !s.Smoke || slices.ContainsFunc(s.Kinds, func(k subject.Kind) bool { return !slices.Contains(kinds, k) })
	})
	gomega.Expect(suite.ExpectSpecsPass(ctx, r, smokeSpecs, lacking...)).To(gomega.BeNumerically(">", 0), "at least one spec should be able to run in the cluster")
}

// restartPartitionDriver restarts the driver of partitions, so that it detects
// which slices the API server accepts: counters are in separate slices since
// 1.35.
func restartPartitionDriver(ctx context.Context, r *journey.Run) {
	driver := r.Subject.Partitions.Small.Driver
	drivers.Update(ctx, r.Env, driver, devices.WaitForNodeWithDevices(ctx, r.Env, driver))
}

// createAndDeleteSharingPod runs a pod with a share of a device and deletes it.
func createAndDeleteSharingPod(ctx context.Context, r *journey.Run) {
	pods.CreateWithRequests(ctx, r.Env, "share", []devices.Request{{Name: "device", Device: r.Subject.Shared.Share}})
	pods.WaitForRunning(ctx, r.Env, "share")
	pods.DeleteWithClaim(ctx, r.Env, "share")
}
