package journeys

import (
	"context"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
)

var listWaitsForItsScheduler = suite.Spec{
	ID: "list-waits-for-its-scheduler",
	Description: "A scheduler that does not support prioritized lists rejects claims with a list with an error, and " +
		"one that supports them schedules their pods later.",
	Profile:   profile,
	Features:  []features.Feature{features.Core, features.PrioritizedList},
	Component: env.Scheduler,
	Needs:     []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"4816-old-scheduler-refuses",
		"4816-off-pods-go-on",
		"4816-on-again-serves",
	},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: "1.35", Gates: "default", Scheduler: kind.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			var c *cards
			list := func() []devices.Request {
				return []devices.Request{{Name: "device", FirstAvailable: []devices.SubRequest{
					{Name: "absent", Device: c.with("disk", "2Gi")[0].Device}, {Name: "present", Device: c.plain()[0].Device},
				}}}
			}
			return []journey.Step{
				{Text: "a claim with alternatives is allocated", Do: func(ctx context.Context, r *journey.Run) {
					c = newPlain(ctx, r, 1)
					kept(ctx, r, "list-0", list())
					claims.CreateTemplate(ctx, r.Env, "list", devices.NewDeviceClaim(list()))
				}},
				{Text: "the scheduler does not know lists: a claim with one is refused with an error, others are allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "DRAPrioritizedList=false", scheduler...)
					pods.CreateWithRequests(ctx, r.Env, "list-1", list())
					kept(ctx, r, "plain-1", c.plain())
					said := pods.WaitForPending(ctx, r.Env, "the scheduler does not know lists", "list-1")
					gomega.Expect(said).To(gomega.ContainSubstring("DRAPrioritizedList"), "the scheduler should say what it does not know")
				}},
				{Text: "the API server does not know lists either: the claim keeps its list", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "DRAPrioritizedList=false", apiServer...)
					pods.WaitForPending(ctx, r.Env, "the scheduler does not know lists", "list-1")
				}},
				{Text: "the scheduler knows lists again: it serves the one that is stored, and the API server refuses new ones", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", scheduler...)
					pods.WaitForScheduled(ctx, r.Env, "list-1")
					r.CheckAfterEachStep(ctx, "list-1")
					_, err := claims.Create(ctx, r.Env, "list-late", devices.NewDeviceClaim(list()))
					gomega.Expect(err).To(gomega.MatchError(apierrors.IsInvalid, "is invalid"),
						"the API server should refuse a request of which nothing is left without its list")
					pods.CreateFromClaimTemplate(ctx, r.Env, "made", "list", "")
				}},
				{Text: "all know lists: new claims have one, too, also that of a pod for which none could be made", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", apiServer...)
					kept(ctx, r, "list-2", list())
					pods.WaitForScheduled(ctx, r.Env, "made")
				}},
			}
		},
	},
}
