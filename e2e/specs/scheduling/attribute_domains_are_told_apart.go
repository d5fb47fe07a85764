// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// attributeDomainsAreToldApart publishes devices with attributes of the same name
// in the domain of their driver, with and without stating it, and in that of a
// third party. Pods request them by one of the domains. Claims for pairs of devices have
// a constraint on the attribute of one domain.
var attributeDomainsAreToldApart = suite.Spec{
	ID:           "attribute-domains-are-told-apart",
	Description:  "An attribute without a domain is in the domain of the driver, as if it were stated. Attributes of the same name in other domains are other attributes.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-names-without-domain", "4381-scheduling-names-of-other-domains"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := expectAttempts(ctx, e, "domains.yaml")
		type attributes = map[resourceapi.QualifiedName]string
		const short, third resourceapi.QualifiedName = "group", "other.example.com/group"
		own := ownName(sim, "group")
		sim.CreatePool(ctx, simulated.Pool{Name: "pairs", Node: sim.Names[0]}, &simulated.Inventory{Devices: []resourceapi.Device{
			withStrings("pair-0", attributes{short: "x"}), withStrings("pair-1", attributes{own: "x"}),
			withStrings("unlike-0", attributes{short: "x", third: "z"}), withStrings("unlike-1", attributes{short: "y", third: "z"}),
			withStrings("only-own-0", attributes{short: "x"}), withStrings("only-own-1", attributes{short: "x"}),
			withStrings("only-third-0", attributes{third: "z"}), withStrings("only-third-1", attributes{third: "z"}),
		}})
		fixture.CreatePair(ctx, e, sim, "pair", same(own))
		fixture.CreatePair(ctx, e, sim, "unlike", same(third))
		fixture.CreatePair(ctx, e, sim, "only-own", same(third))
		fixture.CreatePair(ctx, e, sim, "only-third", same(own))
		pods.WaitForScheduled(ctx, e, "pair", "unlike")
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"only-own":   "its devices have the attribute in the domain of their driver only",
			"only-third": "its devices have the attribute in the domain of a third party only",
		})
	},
}
