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
				{Text: "partitions run and are scheduled", Do: func(ctx context.Context, e *suite.Env) {
					e.Traveller(ctx, "gpu-0", e.Subject.Partitions.Small)
					e.Traveller(ctx, "gpu-1", e.Subject.Partitions.Small)
					c = newCards(ctx, e, 1)
					kept(ctx, e, "half", c.part("2Gi"))
				}},
				{Text: "the gate is off: partitions are not allocated, other devices are", Do: func(ctx context.Context, e *suite.Env) {
					e.SetGates(ctx, "DRAPartitionableDevices=false", knowing...)
					e.Start(ctx, "quarter-0", c.part("1Gi"))
					kept(ctx, e, "plain", c.plain())
					e.StayPending(ctx, "the scheduler does not count what parts of a card consume", "quarter-0")
				}},
				{Text: "slices that are written keep what they had before", Do: func(ctx context.Context, e *suite.Env) {
					c.touch(ctx, e)
					e.Start(ctx, "quarter-1", c.part("1Gi"))
					e.StayPending(ctx, "the scheduler does not count what parts of a card consume", "quarter-0", "quarter-1")
				}},
				{Text: "the gate is on: what waited is allocated, and no more than there is", Do: func(ctx context.Context, e *suite.Env) {
					e.SetGates(ctx, "default", knowing...)
					e.AllScheduled(ctx, "quarter-0", "quarter-1")
					e.Start(ctx, "whole", c.part("4Gi"))
					e.Start(ctx, "quarter-2", c.part("1Gi"))
					e.AllRefused(ctx, "a half and two quarters of the card are taken", "whole", "quarter-2")
				}},
				{Text: "the gate is off for the scheduler only: partitions are not allocated", Do: func(ctx context.Context, e *suite.Env) {
					e.SetGates(ctx, "DRAPartitionableDevices=false", scheduler...)
					e.Removed(ctx, "quarter-0")
					e.Removed(ctx, "quarter-1")
					e.Start(ctx, "quarter-3", c.part("1Gi"))
					e.StayPending(ctx, "the scheduler does not count what parts of a card consume", "whole", "quarter-2", "quarter-3")
				}},
				{Text: "the gate is off for the API server only: nothing is lost, what is left is allocated, and new slices have no counters", Do: func(ctx context.Context, e *suite.Env) {
					e.SetGates(ctx, "DRAPartitionableDevices=false", apiServer...)
					e.SetGates(ctx, "default", scheduler...)
					e.AllScheduled(ctx, "quarter-2", "quarter-3")
					e.Refused(ctx, "whole", "a half and two quarters of the card are taken")
					judge(ctx, e, "partition-fields-are-dropped")
				}},
				{Text: "the gate is on everywhere again: a half that becomes free is allocated, and no more", Do: func(ctx context.Context, e *suite.Env) {
					e.SetGates(ctx, "default", apiServer...)
					e.LetGo("half")
					e.Removed(ctx, "half")
					kept(ctx, e, "another-half", c.part("2Gi"))
					e.Start(ctx, "half-too-many", c.part("2Gi"))
					e.AllRefused(ctx, "a half and two quarters of the card are taken", "whole", "half-too-many")
				}},
			}
		},
	},
}
