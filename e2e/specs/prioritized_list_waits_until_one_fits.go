package specs

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListWaitsUntilOneFits = suite.Spec{
	ID:       "prioritized-list-waits-until-one-fits",
	Sentence: "A pod is unschedulable while no subrequest of its claim fits, and gets the first one that fits once devices are released.",
	Profile:  prioritizedList,
	Features: alternativesNeed,
	Judges:   suite.JudgesScheduler,
	Kinds:    alternativesOf,
	Nodes:    1,
	Requirements: []string{
		"4816-refused-if-none-fits",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		partitions := e.Subject.Partitions
		full := make([]suite.Request, 0, len(partitions.Full))
		for i, device := range partitions.Full {
			full = append(full, suite.Request{Name: fmt.Sprintf("partition-%d", i), Device: device})
		}
		e.Start(ctx, "full", full, e.SameParent())
		of := choicesOf(e, e.Parent(ctx, partitions.Parents, e.Runs(ctx, "full")[0]))

		e.Start(ctx, "late", []suite.Request{list("list", of.whole, of.small)})
		reason := e.Refused(ctx, "late", "claim full leaves room for none of its alternatives")
		gomega.Expect(reason).NotTo(gomega.BeEmpty(), "a pod that is refused should be told why")

		e.Removed(ctx, "full")
		isFor(ctx, e, "late", "all of it fits again and the whole device is preferred", "list/whole")
	},
}
