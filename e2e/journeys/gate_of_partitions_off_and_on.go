package journeys

import (
	"context"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

var gateOfPartitionsOffAndOn = suite.Spec{
	ID: "gate-of-partitions-off-and-on",
	Sentence: "While the gate DRAPartitionableDevices is disabled, running pods keep their partitions, and new " +
		"claims for partitions are pending. When it is enabled again, they are allocated what is available.",
	Profile:  profile,
	Features: []features.Feature{features.Core, features.Partitions},
	Judges:   suite.JudgesCluster,
	Kinds:    []subject.Kind{subject.KindPartition},
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"4815-off-pods-go-on",
		"4815-off-keeps-fields-in-use",
		"4815-off-scheduler-goes-on",
	},
	Journey: &suite.Journey{
		Start: suite.Start{Release: clusters.Newest().Minor, Gates: "default", Scheduler: kind.KubeScheduler, Workers: 1},
		Stops: func() []suite.Stop {
			var c *cards
			return []suite.Stop{
				{Text: "partitions run and are scheduled", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.Traveller(ctx, "gpu-0", r.Subject.Partitions.Small)
					r.Traveller(ctx, "gpu-1", r.Subject.Partitions.Small)
					c = newCards(ctx, r, 1)
					kept(ctx, r, "half", c.part("2Gi"))
				}},
				{Text: "the gate is off: partitions are not allocated, other devices are", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "DRAPartitionableDevices=false", knowing...)
					r.Start(ctx, "quarter-0", c.part("1Gi"))
					kept(ctx, r, "plain", c.plain())
					r.StayPending(ctx, "the scheduler does not count what parts of a card consume", "quarter-0")
				}},
				{Text: "slices that are written keep what they had before", Do: func(ctx context.Context, r *suite.JourneyRun) {
					c.touch(ctx, r)
					r.Start(ctx, "quarter-1", c.part("1Gi"))
					r.StayPending(ctx, "the scheduler does not count what parts of a card consume", "quarter-0", "quarter-1")
				}},
				{Text: "the gate is on: what waited is allocated, and no more than there is", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "default", knowing...)
					r.AllScheduled(ctx, "quarter-0", "quarter-1")
					r.Start(ctx, "whole", c.part("4Gi"))
					r.Start(ctx, "quarter-2", c.part("1Gi"))
					r.AllRefused(ctx, "a half and two quarters of the card are taken", "whole", "quarter-2")
				}},
				{Text: "the gate is off for the scheduler only: partitions are not allocated", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "DRAPartitionableDevices=false", scheduler...)
					r.Removed(ctx, "quarter-0")
					r.Removed(ctx, "quarter-1")
					r.Start(ctx, "quarter-3", c.part("1Gi"))
					r.StayPending(ctx, "the scheduler does not count what parts of a card consume", "whole", "quarter-2", "quarter-3")
				}},
				{Text: "the gate is off for the API server only: nothing is lost, what is left is allocated, and new slices have no counters", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "DRAPartitionableDevices=false", apiServer...)
					r.SetGates(ctx, "default", scheduler...)
					r.AllScheduled(ctx, "quarter-2", "quarter-3")
					r.Refused(ctx, "whole", "a half and two quarters of the card are taken")
					judge(ctx, r, "partition-fields-are-dropped")
				}},
				{Text: "the gate is on everywhere again: a half that becomes free is allocated, and no more", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "default", apiServer...)
					r.LetGo("half")
					r.Removed(ctx, "half")
					kept(ctx, r, "another-half", c.part("2Gi"))
					r.Start(ctx, "half-too-many", c.part("2Gi"))
					r.AllRefused(ctx, "a half and two quarters of the card are taken", "whole", "half-too-many")
				}},
			}
		},
	},
}
