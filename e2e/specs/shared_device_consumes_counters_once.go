package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var sharedDeviceConsumesCountersOnce = suite.Spec{
	ID:       "shared-device-consumes-counters-once",
	Sentence: "A partition that claims share consumes the counters of its parent with the first share, nothing more with further shares, and releases them with the last one.",
	Profile:  capacity,
	Features: append([]features.Feature{features.Partitions}, sharesNeed...),
	Judges:   suite.JudgesScheduler,
	Since:    "1.36", // 1.34 does not count the counters of allocated shares.
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-counters-once",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, described("shared_partition.yaml"))
		users := []string{"a", "b", "c"}
		for _, user := range users {
			e.Start(ctx, user, called(stage, "shared"))
			getShares(ctx, e, user)
		}
		e.Start(ctx, "beside", called(stage, "quarter"))
		e.Scheduled(ctx, "beside")
		e.Removed(ctx, "beside")

		for _, user := range users[1:] {
			e.Removed(ctx, user)
		}
		e.Start(ctx, "half", called(stage, "half"))
		e.Refused(ctx, "half", "claim a still has a share of a partition with 3Gi of 4Gi")
		e.Removed(ctx, "a")
		e.Scheduled(ctx, "half")
	},
}
