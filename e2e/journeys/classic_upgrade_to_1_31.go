// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicUpgradeTo131 upgrades a cluster between the two releases with classic DRA, whose
// versions of the API have no conversion. The controllers of one do not start with the API
// server of the other, so all of DRA is disabled meanwhile.
var classicUpgradeTo131 = suite.Spec{
	ID: "classic-upgrade-to-1-31",
	Description: "When the workloads of a classic driver are removed before an upgrade from Kubernetes 1.30 to 1.31, nothing of them " +
		"is left afterwards, and the driver for 1.31 gives the same devices to others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.ResourceClasses},
	Component:    env.Cluster,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver, env.NeedsSimulatedNodes},
	Requirements: []string{"3063-upgrade-to-1-31"},
	Journey: &journey.Journey{
		OfSchedulers:   true,
		InitialCluster: journey.InitialCluster{Release: "1.30", Gates: classicOn, Scheduler: skew.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			var before *classic.EarlierWorkers
			return []journey.Step{
				{Text: "pods of 1.30 use devices that are allocated for them, or at once", Do: func(ctx context.Context, r *journey.Run) {
					before = classic.UseEarlierWorkers(ctx, r.Env)
					before.CreateClaim(ctx, "delayed", classic.Delayed)
					before.CreateClaim(ctx, "immediate", classic.Immediate)
					for _, name := range []string{"delayed", "immediate"} {
						before.CreatePod(ctx, name, name)
						before.WaitForDevice(ctx, name, "the driver has a device for each claim")
					}
				}},
				{Text: "the workloads and the driver are removed: the driver frees all claims", Do: func(ctx context.Context, r *journey.Run) {
					pods.Delete(ctx, r.Env, "delayed", "immediate")
					before.DeleteUnusedClaims(ctx, "delayed", "immediate")
					before.ExpectNoContexts(ctx, "all pods are removed")
					before.DeleteClass(ctx, before.Class)
					gomega.Expect(r.Classic.Scale(ctx, 0)).To(gomega.Succeed())
				}},
				{Text: "the cluster is upgraded to 1.31, and DRA enabled for its control plane: no object is left", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, gatesByDefault)
					r.Upgrade(ctx, "1.31")
					// Kubelets of 1.31 with DRA do not start where those of 1.30 have stored which claims
					// they have prepared (kubernetes/kubernetes#127653).
					r.SetGates(ctx, classicOn, controlPlane...)
					expectNoClassicObjects(ctx, r)
				}},
				{Text: "the driver for 1.31 allocates all devices of a node", Do: func(ctx context.Context, r *journey.Run) {
					gomega.Expect(r.Classic.ChangeRelease(ctx, "1.31")).To(gomega.Succeed())
					after := classic.UseDriver(ctx, r.Env, 1)
					users := after.Names("user", after.DevicesPerNode())
					after.CreateClaims(ctx, users...)
					for _, name := range users {
						after.CreatePod(ctx, name, name)
						gomega.Expect(after.WaitForBound(ctx, name, "there is a device for each pod")).To(gomega.Equal(after.Nodes[0]))
						after.WaitForClaim(ctx, name, "the driver has allocated the claim", after.AllocatedOn(after.Nodes[0]))
					}
					r.CheckAfterEachStep(ctx, users...)
				}},
			}
		},
	},
}

// gatesByDefault disables DRA in 1.30 to 1.33, and enables it in newer releases.
const gatesByDefault = "default"

// expectNoClassicObjects asserts that no claims, templates and classes of the spec are left.
func expectNoClassicObjects(ctx context.Context, r *journey.Run) {
	for _, list := range []func(context.Context, *env.Env) ([]classic.Stored, error){classic.ListClaims, classic.ListTemplates, classic.ListClasses} {
		left, err := list(ctx, r.Env)
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the API server should be able to read what is stored")
		gomega.Expect(left).To(gomega.BeEmpty(), "no object of the former release should be left")
	}
}
