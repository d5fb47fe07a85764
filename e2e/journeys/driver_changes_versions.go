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
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// overlap is how long two versions of a driver serve a node in parallel. It is
// long enough to create and delete pods.
const overlap = 20 * time.Second

var driverChangesVersions = suite.Spec{
	ID: "driver-changes-versions",
	Description: "Pods keep their devices while the driver is upgraded and downgraded, one version after the other " +
		"or both on a node at the same time, and each version unprepares claims that the other has " +
		"prepared.",
	Profile:   profile,
	Level:     suite.Core,
	Features:  []features.Feature{features.Core, features.Partitions},
	Component: env.Driver,
	Kinds:     []subject.Kind{subject.KindPartition},
	Needs:     []env.Need{env.NeedsDriverCalls, env.NeedsVersions},
	Requirements: []string{
		"4381-containers-outlive-driver",
		"4381-driver-found-again",
		"4381-two-instances-serve",
		"4381-driver-prepares-after-restart",
		"4381-allocation-outlives-restarts",
	},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: clusters.Newest().Minor, Gates: "default", Scheduler: skew.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			p := &partitionPods{}
			older, newer := operations.DriverVersion{Older: true}, operations.DriverVersion{}
			olderWithOverlap := operations.DriverVersion{Older: true, Overlap: overlap, Surge: true}
			newerWithOverlap := operations.DriverVersion{Overlap: overlap, Surge: true}
			return []journey.Step{
				{Text: "the older version prepares devices for pods", Do: func(ctx context.Context, r *journey.Run) {
					drivers.ChangeVersion(ctx, r.Env, r.Subject.Partitions.Small.Driver, older, nil)
					for range 4 {
						p.create(ctx, r)
					}
				}},
				{Text: "the newer version replaces it and knows its prepared claims", Do: func(ctx context.Context, r *journey.Run) {
					drivers.ChangeVersion(ctx, r.Env, r.Subject.Partitions.Small.Driver, newer, nil)
					p.replace(ctx, r)
				}},
				{Text: "the older version replaces it while controller manager and scheduler are killed, and knows its prepared claims", Do: func(ctx context.Context, r *journey.Run) {
					drivers.ChangeVersion(ctx, r.Env, r.Subject.Partitions.Small.Driver, older, func() {
						r.Kill(ctx, skew.ControllerManager)
						r.Kill(ctx, skew.Scheduler)
					})
					p.replace(ctx, r)
				}},
				{Text: "both versions run on the node while the newer one replaces the older one: pods are created and deleted", Do: func(ctx context.Context, r *journey.Run) {
					// The running version allows no second one next to it,
					// because Overlap is not set.
					drivers.ChangeVersion(ctx, r.Env, r.Subject.Partitions.Small.Driver, operations.DriverVersion{Older: true, Overlap: overlap}, nil)
					p.replaceDuringUpdate(ctx, r, newerWithOverlap)
				}},
				{Text: "both versions run on the node while the older one replaces the newer one: pods are created and deleted", Do: func(ctx context.Context, r *journey.Run) {
					p.replaceDuringUpdate(ctx, r, olderWithOverlap)
				}},
				{Text: "the newer version replaces it again", Do: func(ctx context.Context, r *journey.Run) {
					drivers.ChangeVersion(ctx, r.Env, r.Subject.Partitions.Small.Driver, newer, nil)
					p.replace(ctx, r)
				}},
			}
		},
	},
}

// partitionPods are running pods with partitions of a GPU. They are deleted in
// the order of creation.
type partitionPods struct {
	names   []string
	created int
}

func (p *partitionPods) create(ctx context.Context, r *journey.Run) {
	name := fmt.Sprintf("gpu-%d", p.created)
	p.created++
	r.CreateCheckedPod(ctx, name, r.Subject.Partitions.Small)
	p.names = append(p.names, name)
}

// replace replaces a pod by a new one and checks which claims are prepared.
func (p *partitionPods) replace(ctx context.Context, r *journey.Run) {
	p.expectPrepared(ctx, r)
	oldest := p.names[0]
	node := pods.GetContainer(ctx, r.Env, oldest).Node
	p.names = p.names[1:]
	r.StopChecking(oldest)
	pods.DeleteWithClaim(ctx, r.Env, oldest)
	drivers.WaitForUnprepared(ctx, r.Env, r.Subject.Partitions.Small.Driver, node, oldest)
	p.create(ctx, r)
	p.expectPrepared(ctx, r)
}

// replaceDuringUpdate replaces pods while two versions of the driver are
// running.
func (p *partitionPods) replaceDuringUpdate(ctx context.Context, r *journey.Run, to operations.DriverVersion) {
	driver, node := r.Subject.Partitions.Small.Driver, pods.GetContainer(ctx, r.Env, p.names[0]).Node
	drivers.ChangeVersion(ctx, r.Env, driver, to, func() {
		drivers.WaitForTwoPods(ctx, r.Env, driver, node)
		for range 2 {
			p.replace(ctx, r)
		}
	})
	p.expectPrepared(ctx, r)
}

// expectPrepared asserts that the driver knows the claims that any version has
// prepared.
func (p *partitionPods) expectPrepared(ctx context.Context, r *journey.Run) {
	for _, claim := range p.names {
		drivers.WaitForPrepared(ctx, r.Env, r.Subject.Partitions.Small.Driver, pods.GetContainer(ctx, r.Env, claim).Node, claim)
	}
}
