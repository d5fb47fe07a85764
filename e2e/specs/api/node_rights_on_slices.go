// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// nodeRightsOnSlices publishes slices of two nodes and of all nodes, and asks the API server what
// the kubelet of the first node may do with them. It does nothing as this kubelet.
var nodeRightsOnSlices = suite.Spec{
	ID:           "node-rights-on-slices",
	Description:  "A kubelet may list, watch and delete the ResourceSlices of its node, and none of other nodes or of all nodes.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-node-rights-on-slices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		everywhere := e.UniqueName()
		for _, pool := range []simulated.Pool{{Name: sim.Names[0], Node: sim.Names[0]}, {Name: sim.Names[1], Node: sim.Names[1]}, {Name: everywhere}} {
			sim.CreatePool(ctx, pool, fixture.Devices("card"))
		}
		here, there := sim.Names[0], sim.Names[1]
		findOutNodeRights(ctx, e, here)
		of := func(pool string, verbs ...string) (requests []nodeRequest) {
			for _, verb := range verbs {
				requests = append(requests, nodeRequest{Verb: verb, Name: sim.GetSlices(ctx, pool)[0].Name})
			}
			return requests
		}
		lists := func(node string) (requests []nodeRequest) {
			for _, verb := range []string{"list", "watch", "deletecollection"} {
				requests = append(requests, nodeRequest{Verb: verb, OfNode: node})
			}
			return requests
		}
		expectNodeMay(ctx, e, here, of(here, "get", "delete")...)
		expectNodeMay(ctx, e, there, of(there, "get", "delete")...) // The API server has observed that slice, too.
		expectNodeMay(ctx, e, here, lists(here)...)
		expectNodeMayNot(ctx, e, here, of(there, "get", "update", "patch", "delete")...)
		expectNodeMayNot(ctx, e, here, of(everywhere, "get", "update", "patch", "delete")...)
		expectNodeMayNot(ctx, e, here, lists(there)...)
		expectNodeMayNot(ctx, e, here, lists("")...)
	},
}
