package specs

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

var partitionReleaseReturnsCounters = suite.Spec{
	ID:       "partition-release-returns-counters",
	Sentence: "A pod that needs a partition is unschedulable while the counters are used up, and runs when they are released.",
	Profile:  partitioning,
	Features: []features.Feature{features.Core, features.Partitions},
	Judges:   suite.JudgesScheduler,
	Kinds:    []subject.Kind{subject.KindPartition},
	Nodes:    1,
	Requirements: []string{
		"4815-counters-of-the-pool",
		"4815-refused-without-counters",
		"4815-counters-across-claims",
		"4815-release-returns-counters",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		partitions := e.Subject.Partitions
		full := make([]suite.Request, 0, len(partitions.Full))
		for i, device := range partitions.Full {
			full = append(full, suite.Request{Name: fmt.Sprintf("partition-%d", i), Device: device})
		}
		e.Start(ctx, "full", full, e.SameParent())
		parent := e.Parent(ctx, partitions.Parents, e.Runs(ctx, "full")[0])

		// This claim requests one more partition of the same parent device.
		e.Start(ctx, "late", []suite.Request{{Name: "partition", Device: partitions.OfParent(partitions.Small, parent)}})
		e.Refused(ctx, "late", "its parent's counters are used up by claim full")

		e.Removed(ctx, "full")
		late := e.Runs(ctx, "late")
		gomega.Expect(e.Parent(ctx, partitions.Parents, late[0])).To(gomega.Equal(parent), "claim late selects devices of one parent")
	},
}
