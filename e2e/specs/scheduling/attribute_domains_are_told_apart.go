// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// attributeDomainsAreToldApart publishes devices with attributes of the same name
// in the domain of their driver, with and without stating it, and in that of a
// third party. Pods request them by one of the domains. A claim with a constraint
// has a device of each form.
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
		pool := fixture.Devices("short", "long")
		group := resourceapi.DeviceAttribute{StringValue: ptr.To("x")}
		pool.Devices[0].Attributes["group"] = group
		pool.Devices[1].Attributes[ownName(sim, "group")] = group
		sim.CreatePool(ctx, simulated.Pool{Name: "pair", Node: sim.Names[0]}, pool)
		createPair(ctx, e, sim, "pair", "short", "long")
		pods.WaitForScheduled(ctx, e, "pair")
	},
}
