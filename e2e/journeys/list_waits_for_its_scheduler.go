// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/draconform/draconform/clusters/skew"
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
	Level:     suite.Core,
	Features:  []features.Feature{features.Core, features.PrioritizedList},
	Component: env.Scheduler,
	Needs:     []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"4816-old-scheduler-refuses",
		"4816-off-pods-go-on",
		"4816-on-again-serves",
	},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: "1.35", Gates: "default", Scheduler: skew.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			var n *gpuNodes
			list := func() []devices.Request {
				return []devices.Request{{Name: "device", FirstAvailable: []devices.SubRequest{
					{Name: "absent", Device: n.deviceWith("disk", "2Gi")[0].Device}, {Name: "present", Device: n.plain()[0].Device},
				}}}
			}
			return []journey.Step{
				{Text: "a claim with alternatives is allocated", Do: func(ctx context.Context, r *journey.Run) {
					n = createPlainNodes(ctx, r, 1)
					createCheckedPod(ctx, r, "list-0", list())
					claims.CreateTemplate(ctx, r.Env, "list", devices.NewDeviceClaim(list()))
				}},
				{Text: "the gate is disabled for the scheduler: a claim with a list is pending with an error, others are allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "DRAPrioritizedList=false", scheduler...)
					pods.CreateWithRequests(ctx, r.Env, "list-1", list())
					createCheckedPod(ctx, r, "plain-1", n.plain())
					pods.WaitForPending(ctx, r.Env, "the scheduler does not support lists", "list-1")
				}},
				{Text: "the gate is disabled for the API server, too: the claim keeps its list", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "DRAPrioritizedList=false", apiServer...)
					pods.WaitForPending(ctx, r.Env, "the scheduler does not support lists", "list-1")
				}},
				{Text: "the gate is enabled for the scheduler again: the stored claim is allocated, and the API server rejects new lists", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", scheduler...)
					pods.WaitForScheduled(ctx, r.Env, "list-1")
					r.CheckAfterEachStep(ctx, "list-1")
					_, err := claims.Create(ctx, r.Env, "list-late", devices.NewDeviceClaim(list()))
					gomega.Expect(err).To(gomega.MatchError(apierrors.IsInvalid, "is invalid"),
						"the API server should reject a request that is empty without its list")
					pods.CreateFromClaimTemplate(ctx, r.Env, "generated", "list", "")
				}},
				{Text: "the gate is enabled everywhere: new claims keep their lists, including the generated claim of an older pod", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", apiServer...)
					createCheckedPod(ctx, r, "list-2", list())
					pods.WaitForScheduled(ctx, r.Env, "generated")
				}},
			}
		},
	},
}
