package specs

import (
	"context"

	"github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite"
)

var partitionAdminAccessHoldsNothing = suite.Spec{
	ID:       "partition-admin-access-holds-nothing",
	Sentence: "A claim with admin access is allocated a device but consumes nothing: the device and its partitions stay available for other claims, also after the claim is deleted.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Since:    "1.36",
	Requirements: []string{
		"4815-admin-access-holds-nothing",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		e.AllowAdminAccess(ctx)
		stage := e.Stage(ctx, 1)
		poolsFrom("admin-access").publish(ctx, stage, stage.Nodes[0])
		start := func(pod, device string) {
			claim := suite.Devices(called(stage, device))
			claim.Requests[0].Exactly.AdminAccess = ptr.To(true)
			e.StartClaim(ctx, pod, claim)
		}
		start("monitor", "whole")
		e.Scheduled(ctx, "monitor")
		for _, result := range e.Allocation(ctx, "monitor").Results {
			gomega.Expect(result.AdminAccess).To(gomega.HaveValue(gomega.BeTrue()), "the result for a request with admin access should say so")
		}
		// Together, both need all counters that the monitored device would
		// consume.
		e.Start(ctx, "left", called(stage, "left"))
		e.Start(ctx, "right", called(stage, "right"))
		e.AllScheduled(ctx, "left", "right")
		e.Start(ctx, "whole", called(stage, "whole"))
		e.Refused(ctx, "whole", "its partitions are allocated, and it does not ask for admin access")
		// Removing a claim with admin access must not return counters.
		e.Removed(ctx, "monitor")
		e.Start(ctx, "again", called(stage, "whole"))
		e.Start(ctx, "part", called(stage, "left"))
		e.AllRefused(ctx, "left and right are still allocated, whichever monitor has gone", "whole", "again", "part")
		e.Removed(ctx, "again")
		e.Removed(ctx, "part")

		e.Removed(ctx, "left")
		e.Removed(ctx, "right")
		e.Scheduled(ctx, "whole")
		// This device consumes no counters.
		e.Start(ctx, "plain", called(stage, "plain"))
		e.Scheduled(ctx, "plain")
		start("second-monitor", "plain")
		e.Scheduled(ctx, "second-monitor")
		e.Removed(ctx, "second-monitor")
		e.Start(ctx, "late", called(stage, "plain"))
		e.Refused(ctx, "late", "claim plain still has the device, although its monitor has gone")
	},
}
