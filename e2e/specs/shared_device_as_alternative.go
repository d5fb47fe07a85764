package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var sharedDeviceAsAlternative = suite.Spec{
	ID:       "shared-device-as-alternative",
	Sentence: "Subrequests request their own capacity, and the first one is allocated whose device has enough left.",
	Profile:  capacity,
	Features: append([]features.Feature{features.PrioritizedList}, sharesNeed...),
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-capacity-of-alternatives",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, described("nic.yaml"))
		of := func(amount string) suite.Alternative {
			return suite.Alternative{Name: "a-" + amount[:1], Device: shareOf(stage, "nic", inMemory(amount))[0].Device}
		}
		either := []suite.Request{list("list", of("5Gi"), of("2Gi"))}
		e.Start(ctx, "first", either)
		consumes(ctx, e, "first", inBoth(1, "5Gi"))

		e.Start(ctx, "second", either)
		consumes(ctx, e, "second", inBoth(1, "2Gi"))
		gomega.Expect(e.Allocation(ctx, "second").Results[0].Request).To(gomega.Equal("list/a-2"), "3Gi are left, which are not enough for the first alternative")
	},
}
