package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

var partitionExcludesWhole = suite.Spec{
	ID:       "partition-excludes-whole",
	Sentence: "A whole device and its partitions exclude each other, in either order.",
	Profile:  partitioning,
	Smoke:    true,
	Features: []features.Feature{features.Core, features.Partitions},
	Judges:   suite.JudgesScheduler,
	Kinds:    []subject.Kind{subject.KindPartition},
	Nodes:    1,
	Requirements: []string{
		"4815-counters-of-the-pool",
		"4815-refused-without-counters",
		"4815-counters-across-claims",
		"4815-release-returns-counters",
		"4815-whole-and-partitions-exclude-each-other",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		partitions := e.Subject.Partitions
		e.Start(ctx, "partition", []suite.Request{{Name: "partition", Device: partitions.Small}})
		parent := e.Parent(ctx, partitions.Parents, e.Runs(ctx, "partition")[0])

		whole := []suite.Request{{Name: "whole", Device: partitions.OfParent(partitions.Whole, parent)}}
		e.Start(ctx, "whole", whole)
		e.Refused(ctx, "whole", "claim partition holds a partition of that device")

		e.Removed(ctx, "partition")
		e.Runs(ctx, "whole")

		again := []suite.Request{{Name: "partition", Device: partitions.OfParent(partitions.Small, parent)}}
		e.Start(ctx, "again", again)
		e.Refused(ctx, "again", "claim whole holds the whole device")

		e.Removed(ctx, "whole")
		e.Runs(ctx, "again")
	},
}
