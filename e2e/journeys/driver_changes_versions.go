package journeys

import (
	"context"
	"fmt"
	"time"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// beside is how long two versions of a driver serve a node in parallel. It is
// long enough to create and delete pods.
const beside = 20 * time.Second

var driverChangesVersions = suite.Spec{
	ID: "driver-changes-versions",
	Description: "Pods keep their devices while the driver is upgraded and downgraded, one version after the other " +
		"or both on a node at the same time, and each version unprepares claims that the other has " +
		"prepared.",
	Profile:   profile,
	Features:  []features.Feature{features.Core, features.Partitions},
	Component: env.Driver,
	Kinds:     []subject.Kind{subject.KindPartition},
	Needs:     []env.Need{env.NeedsDrivers, env.NeedsVersions},
	Requirements: []string{
		"4381-containers-outlive-driver",
		"4381-driver-found-again",
		"4381-two-instances-serve",
		"4381-driver-prepares-after-restart",
		"4381-allocation-outlives-restarts",
	},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: clusters.Newest().Minor, Gates: "default", Scheduler: kind.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			p := &passengers{}
			older, newer := operations.DriverVersion{Older: true}, operations.DriverVersion{}
			olderBeside := operations.DriverVersion{Older: true, Overlap: beside, Surge: true}
			newerBeside := operations.DriverVersion{Overlap: beside, Surge: true}
			return []journey.Step{
				{Text: "the older version prepares devices for pods", Do: func(ctx context.Context, r *journey.Run) {
					drivers.ChangeVersion(ctx, r.Env, r.Subject.Partitions.Small.Driver, older, nil)
					for range 4 {
						p.start(ctx, r)
					}
				}},
				{Text: "the newer one takes its place, and knows what it has prepared", Do: func(ctx context.Context, r *journey.Run) {
					drivers.ChangeVersion(ctx, r.Env, r.Subject.Partitions.Small.Driver, newer, nil)
					p.change(ctx, r)
				}},
				{Text: "the older one is back, with controller manager and scheduler killed on the way, and knows what the newer one has prepared", Do: func(ctx context.Context, r *journey.Run) {
					drivers.ChangeVersion(ctx, r.Env, r.Subject.Partitions.Small.Driver, older, func() {
						r.Kill(ctx, change.ControllerManager)
						r.Kill(ctx, change.Scheduler)
					})
					p.change(ctx, r)
				}},
				{Text: "the newer one comes to the older one on the node: pods come and go", Do: func(ctx context.Context, r *journey.Run) {
					// The running version allows no second one next to it, because
					// Beside is not set.
					drivers.ChangeVersion(ctx, r.Env, r.Subject.Partitions.Small.Driver, operations.DriverVersion{Older: true, Overlap: beside}, nil)
					p.changeWhile(ctx, r, newerBeside)
				}},
				{Text: "the older one comes to the newer one, and replaces it", Do: func(ctx context.Context, r *journey.Run) {
					p.changeWhile(ctx, r, olderBeside)
				}},
				{Text: "the newer one is there again", Do: func(ctx context.Context, r *journey.Run) {
					drivers.ChangeVersion(ctx, r.Env, r.Subject.Partitions.Small.Driver, newer, nil)
					p.change(ctx, r)
				}},
			}
		},
	},
}

// passengers are pods with partitions of a GPU. They are removed in the order
// of creation.
type passengers struct {
	aboard  []string
	started int
}

func (p *passengers) start(ctx context.Context, r *journey.Run) {
	name := fmt.Sprintf("gpu-%d", p.started)
	p.started++
	r.CreateCheckedPod(ctx, name, r.Subject.Partitions.Small)
	p.aboard = append(p.aboard, name)
}

// change replaces a pod by a new one and checks which claims are prepared.
func (p *passengers) change(ctx context.Context, r *journey.Run) {
	p.prepared(ctx, r)
	gone := p.aboard[0]
	node := pods.GetContainer(ctx, r.Env, gone).Node
	p.aboard = p.aboard[1:]
	r.StopChecking(gone)
	pods.DeleteWithClaim(ctx, r.Env, gone)
	drivers.WaitForUnprepared(ctx, r.Env, r.Subject.Partitions.Small.Driver, node, gone)
	p.start(ctx, r)
	p.prepared(ctx, r)
}

// changeWhile replaces pods while two versions of the driver are running.
func (p *passengers) changeWhile(ctx context.Context, r *journey.Run, to operations.DriverVersion) {
	driver, node := r.Subject.Partitions.Small.Driver, pods.GetContainer(ctx, r.Env, p.aboard[0]).Node
	drivers.ChangeVersion(ctx, r.Env, driver, to, func() {
		drivers.WaitForTwoPods(ctx, r.Env, driver, node)
		for range 2 {
			p.change(ctx, r)
		}
	})
	p.prepared(ctx, r)
}

// prepared asserts that the driver knows the claims that any version has
// prepared.
func (p *passengers) prepared(ctx context.Context, r *journey.Run) {
	for _, claim := range p.aboard {
		drivers.WaitForPrepared(ctx, r.Env, r.Subject.Partitions.Small.Driver, pods.GetContainer(ctx, r.Env, claim).Node, claim)
	}
}
