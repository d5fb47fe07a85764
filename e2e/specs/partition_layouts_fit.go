package specs

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

// partitionLayoutsFit publishes one GPU for each layout. Each layout uses up
// one GPU.
var partitionLayoutsFit = suite.Spec{
	ID:       "partition-layouts-fit",
	Sentence: "Partitions of an A100 that do not overlap are allocated together, in every combination, until all GPUs are full.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Requirements: []string{
		"4815-counters-within-a-claim",
		"4815-rest-stays-allocatable",
		"4815-mix-of-partitions",
		"4815-requests-as-before",
		"4815-status-names-the-device",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		_, layouts := placements()
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, a100s(stage.Nodes[0], len(layouts)))
		var pods []string
		for i, layout := range layouts {
			var devices []subject.Device
			for _, place := range layout {
				devices = append(devices, at(stage, place))
			}
			pods = append(pods, fmt.Sprintf("layout-%d", i))
			e.Start(ctx, pods[i], each(devices...), oneGPU(stage))
		}
		e.AllScheduled(ctx, pods...)

		all, _ := placements()
		places := []string{"whole"}
		for _, p := range all {
			places = append(places, p.name)
		}
		e.Start(ctx, "late", one(at(stage, places...)))
		e.Refused(ctx, "late", "the layouts use up all GPUs")
	},
}
