// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// nodeRightsOnClaims schedules pods with claims to two nodes: one with a claim of its own to the
// first, one with another to the second, and one with a claim from a template to the first. It
// asks the API server what the kubelets may do with these claims, and with one that no pod uses.
var nodeRightsOnClaims = suite.Spec{
	ID:           "node-rights-on-claims",
	Description:  "A kubelet may get the claims of the pods on its node, also those from templates, and no others. It may not list, change or delete any.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-node-rights-on-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("here", "generated"))
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[1]}, fixture.Devices("there"))
		here, there := sim.Names[0], sim.Names[1]
		findOutNodeRights(ctx, e, here)
		for _, name := range []string{"here", "there"} {
			pods.CreateWithRequests(ctx, e, name, fixture.RequestFor(sim, name))
		}
		createTemplate(ctx, e, "template", fixture.RequestFor(sim, "generated"))
		createPodFrom(ctx, e, "pod", map[string]string{"entry": "template"})
		_, err := claims.Create(ctx, e, "unused", devices.NewDeviceClaim(fixture.RequestFor(sim, "here")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.WaitForScheduled(ctx, e, "here", "there", "pod")
		generated := waitForGeneratedClaims(ctx, e, "pod", "entry")["entry"].Name

		get := func(claim string) nodeRequest { return nodeRequest{Verb: "get", Name: claim, Claims: true} }
		expectNodeMay(ctx, e, here, get("here"), get(generated))
		expectNodeMay(ctx, e, there, get("there"))
		expectNodeMayNot(ctx, e, here, get("there"), get("unused"))
		expectNodeMayNot(ctx, e, there, get("here"), get(generated))
		for _, verb := range []string{"update", "patch", "delete"} {
			expectNodeMayNot(ctx, e, here, nodeRequest{Verb: verb, Name: "here", Claims: true})
		}
		expectNodeMayNot(ctx, e, here, nodeRequest{Verb: "list", Claims: true})
	},
}
