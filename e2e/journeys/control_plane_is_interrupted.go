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
				{Text: "partitions run", Do: func(ctx context.Context, e *suite.Env) {
					for i := range 4 {
						e.Traveller(ctx, fmt.Sprintf("gpu-%d", i), e.Subject.Partitions.Small)
					}
					c = newCards(ctx, e, 3)
				}},
				{Text: "the scheduler is killed while pods wait for it: each is scheduled once", Do: func(ctx context.Context, e *suite.Env) {
					start(ctx, e, c, "waits", 6)
					e.Kill(ctx, change.Scheduler)
					start(ctx, e, c, "waits-too", 6)
					e.AllScheduled(ctx, numbered("waits", 6)...)
					e.AllScheduled(ctx, numbered("waits-too", 6)...)
					e.Start(ctx, "too-many", c.part("1Gi"))
					e.Refused(ctx, "too-many", "twelve quarters of three cards are taken")
				}},
				{Text: "the controller manager is killed while pods end: their devices are free again", Do: func(ctx context.Context, e *suite.Env) {
					e.Ended(ctx, numbered("waits", 6)...)
					e.Kill(ctx, change.ControllerManager)
					e.Scheduled(ctx, "too-many")
					e.Freed(ctx, numbered("waits", 6)...)
				}},
				{Text: fmt.Sprintf("the API server is away for %s: nothing that runs notices", away), Do: func(ctx context.Context, e *suite.Env) {
					e.Without(ctx, change.APIServer, func() { e.Pass(ctx, away) })
					scheduled(ctx, e, "afterwards", c.part("1Gi"))
				}},
				{Text: "scheduler and controller manager are away while pods come: they are scheduled afterwards", Do: func(ctx context.Context, e *suite.Env) {
					e.Without(ctx, change.Scheduler, func() {
						e.Without(ctx, change.ControllerManager, func() { start(ctx, e, c, "late", 4) })
					})
					e.AllScheduled(ctx, numbered("late", 4)...)
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
