package journeys

import (
	"context"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var listWaitsForItsScheduler = suite.Spec{
	ID: "list-waits-for-its-scheduler",
	Sentence: "A scheduler that does not support prioritized lists rejects claims with a list with an error, and " +
		"one that supports them schedules their pods later.",
	Profile:  profile,
	Features: []features.Feature{features.Core, features.PrioritizedList},
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"4816-old-scheduler-refuses",
		"4816-off-pods-go-on",
		"4816-on-again-serves",
	},
	Journey: &suite.Journey{
		Start: suite.Start{Release: "1.35", Gates: "default", Scheduler: kind.KubeScheduler, Workers: 1},
		Stops: func() []suite.Stop {
			var c *cards
			list := func() []suite.Request {
				return []suite.Request{{Name: "device", FirstAvailable: []suite.Alternative{
					{Name: "absent", Device: c.with("disk", "2Gi")[0].Device}, {Name: "present", Device: c.plain()[0].Device},
				}}}
			}
			return []suite.Stop{
				{Text: "a claim with alternatives is allocated", Do: func(ctx context.Context, r *suite.JourneyRun) {
					c = newPlain(ctx, r, 1)
					kept(ctx, r, "list-0", list())
					r.Template(ctx, "list", suite.Devices(list()))
				}},
				{Text: "the scheduler does not know lists: a claim with one is refused with an error, others are allocated", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "DRAPrioritizedList=false", scheduler...)
					r.Start(ctx, "list-1", list())
					kept(ctx, r, "plain-1", c.plain())
					said := r.StayPending(ctx, "the scheduler does not know lists", "list-1")
					gomega.Expect(said).To(gomega.ContainSubstring("DRAPrioritizedList"), "the scheduler should say what it does not know")
				}},
				{Text: "the API server does not know lists either: the claim keeps its list", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "DRAPrioritizedList=false", apiServer...)
					r.StayPending(ctx, "the scheduler does not know lists", "list-1")
				}},
				{Text: "the scheduler knows lists again: it serves the one that is stored, and the API server refuses new ones", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "default", scheduler...)
					r.Scheduled(ctx, "list-1")
					r.Keep(ctx, "list-1")
					_, err := r.Claim(ctx, "list-late", suite.Devices(list()))
					gomega.Expect(err).To(gomega.MatchError(apierrors.IsInvalid, "is invalid"),
						"the API server should refuse a request of which nothing is left without its list")
					r.StartFromTemplate(ctx, "made", "list", "")
				}},
				{Text: "all know lists: new claims have one, too, also that of a pod for which none could be made", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "default", apiServer...)
					kept(ctx, r, "list-2", list())
					r.Scheduled(ctx, "made")
				}},
			}
		},
	},
}
