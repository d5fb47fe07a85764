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

// away is how long the API server is stopped. It exceeds the durations of node
// leases and leader election leases.
const away = time.Minute

var controlPlaneIsInterrupted = suite.Spec{
	ID: "control-plane-is-interrupted",
	Sentence: "When a component of the control plane is killed or stopped during its work, running pods are not " +
		"affected, and the work is completed when the component is back.",
	Profile:  profile,
	Features: []features.Feature{features.Core, features.Partitions},
	Judges:   suite.JudgesCluster,
	Kinds:    []subject.Kind{subject.KindPartition},
	Needs:    []suite.Need{suite.NeedsStage},
	Journey: &suite.Journey{
		Start: suite.Start{Release: clusters.Newest().Minor, Gates: "default", Scheduler: kind.DraconformScheduler, Workers: 1},
		Stops: func() []suite.Stop {
			var c *cards
			return []suite.Stop{
				{Text: "partitions run", Do: func(ctx context.Context, r *suite.JourneyRun) {
					for i := range 4 {
						r.Traveller(ctx, fmt.Sprintf("gpu-%d", i), r.Subject.Partitions.Small)
					}
					c = newCards(ctx, r, 3)
				}},
				{Text: "the scheduler is killed while pods wait for it: each is scheduled once", Do: func(ctx context.Context, r *suite.JourneyRun) {
					start(ctx, r, c, "waits", 6)
					r.Kill(ctx, change.Scheduler)
					start(ctx, r, c, "waits-too", 6)
					r.AllScheduled(ctx, numbered("waits", 6)...)
					r.AllScheduled(ctx, numbered("waits-too", 6)...)
					r.Start(ctx, "too-many", c.part("1Gi"))
					r.Refused(ctx, "too-many", "twelve quarters of three cards are taken")
				}},
				{Text: "the controller manager is killed while pods end: their devices are free again", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.Ended(ctx, numbered("waits", 6)...)
					r.Kill(ctx, change.ControllerManager)
					r.Scheduled(ctx, "too-many")
					r.Freed(ctx, numbered("waits", 6)...)
				}},
				{Text: fmt.Sprintf("the API server is away for %s: nothing that runs notices", away), Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.Without(ctx, change.APIServer, func() { r.Pass(ctx, away) })
					scheduled(ctx, r, "afterwards", c.part("1Gi"))
				}},
				{Text: "scheduler and controller manager are away while pods come: they are scheduled afterwards", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.Without(ctx, change.Scheduler, func() {
						r.Without(ctx, change.ControllerManager, func() { start(ctx, r, c, "late", 4) })
					})
					r.AllScheduled(ctx, numbered("late", 4)...)
				}},
			}
		},
	},
}

// numbered returns the names of the pods that start creates.
func numbered(name string, pods int) []string {
	var names []string
	for i := range pods {
		names = append(names, fmt.Sprintf("%s-%d", name, i))
	}
	return names
}
