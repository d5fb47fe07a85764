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
)

// beside is how long two versions of a driver serve a node in parallel. It is
// long enough to create and delete pods.
const beside = 20 * time.Second

var driverChangesVersions = suite.Spec{
	ID: "driver-changes-versions",
	Sentence: "Pods keep their devices while the driver is upgraded and downgraded, one version after the other " +
		"or both on a node at the same time, and each version unprepares claims that the other has " +
		"prepared.",
	Profile:  profile,
	Features: []features.Feature{features.Core, features.Partitions},
	Judges:   suite.JudgesDriver,
	Kinds:    []subject.Kind{subject.KindPartition},
	Needs:    []suite.Need{suite.NeedsDrivers, suite.NeedsVersions},
	Requirements: []string{
		"4381-containers-outlive-driver",
		"4381-driver-found-again",
		"4381-two-instances-serve",
		"4381-driver-prepares-after-restart",
		"4381-allocation-outlives-restarts",
	},
	Journey: &suite.Journey{
		Start: suite.Start{Release: clusters.Newest().Minor, Gates: "default", Scheduler: kind.KubeScheduler, Workers: 1},
		Stops: func() []suite.Stop {
			p := &passengers{}
			older, newer := suite.DriverVersion{Older: true}, suite.DriverVersion{}
			olderBeside := suite.DriverVersion{Older: true, Beside: beside, Surge: true}
			newerBeside := suite.DriverVersion{Beside: beside, Surge: true}
			return []suite.Stop{
				{Text: "the older version prepares devices for pods", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.ChangeDriver(ctx, r.Subject.Partitions.Small.Driver, older, nil)
					for range 4 {
						p.start(ctx, r)
					}
				}},
				{Text: "the newer one takes its place, and knows what it has prepared", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.ChangeDriver(ctx, r.Subject.Partitions.Small.Driver, newer, nil)
					p.change(ctx, r)
				}},
				{Text: "the older one is back, with controller manager and scheduler killed on the way, and knows what the newer one has prepared", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.ChangeDriver(ctx, r.Subject.Partitions.Small.Driver, older, func() {
						r.Kill(ctx, change.ControllerManager)
						r.Kill(ctx, change.Scheduler)
					})
					p.change(ctx, r)
				}},
				{Text: "the newer one comes to the older one on the node: pods come and go", Do: func(ctx context.Context, r *suite.JourneyRun) {
					// The running version allows no second one next to it, because
					// Beside is not set.
					r.ChangeDriver(ctx, r.Subject.Partitions.Small.Driver, suite.DriverVersion{Older: true, Beside: beside}, nil)
					p.changeWhile(ctx, r, newerBeside)
				}},
				{Text: "the older one comes to the newer one, and replaces it", Do: func(ctx context.Context, r *suite.JourneyRun) {
					p.changeWhile(ctx, r, olderBeside)
				}},
				{Text: "the newer one is there again", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.ChangeDriver(ctx, r.Subject.Partitions.Small.Driver, newer, nil)
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

func (p *passengers) start(ctx context.Context, r *suite.JourneyRun) {
	name := fmt.Sprintf("gpu-%d", p.started)
	p.started++
	r.Traveller(ctx, name, r.Subject.Partitions.Small)
	p.aboard = append(p.aboard, name)
}

// change replaces a pod by a new one and checks which claims are prepared.
func (p *passengers) change(ctx context.Context, r *suite.JourneyRun) {
	p.prepared(ctx, r)
	gone := p.aboard[0]
	node := r.Container(ctx, gone).Node
	p.aboard = p.aboard[1:]
	r.LetGo(gone)
	r.Removed(ctx, gone)
	r.Prepared(ctx, r.Subject.Partitions.Small.Driver, node, gone, false)
	p.start(ctx, r)
	p.prepared(ctx, r)
}

// changeWhile replaces pods while two versions of the driver are running.
func (p *passengers) changeWhile(ctx context.Context, r *suite.JourneyRun, to suite.DriverVersion) {
	driver, node := r.Subject.Partitions.Small.Driver, r.Container(ctx, p.aboard[0]).Node
	r.ChangeDriver(ctx, driver, to, func() {
		r.BesideEachOther(ctx, driver, node)
		for range 2 {
			p.change(ctx, r)
		}
	})
	p.prepared(ctx, r)
}

// prepared asserts that the driver knows the claims that any version has
// prepared.
func (p *passengers) prepared(ctx context.Context, r *suite.JourneyRun) {
	for _, claim := range p.aboard {
		r.Prepared(ctx, r.Subject.Partitions.Small.Driver, r.Container(ctx, claim).Node, claim, true)
	}
}
