// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverAllocatesImmediately creates claims that are allocated immediately, of the
// driver under test and of another one, while only one node has devices.
var classicDriverAllocatesImmediately = suite.Spec{
	ID:           "classic-driver-allocates-immediately",
	Description:  "A driver allocates a claim that is to be allocated immediately without a pod, if the class of the claim names the driver.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicControllers},
	Requirements: []string{"3063-driver-allocates-immediately", "3063-controller-in-class"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.CreateEarlierDriver(ctx, e, 2, 2, rackOf(1), rackOf)
		other := d.CreateClass(ctx, "other", d.Driver("other"))
		d.CreateClaimOf(ctx, "of-another", other, classic.Immediate)
		d.CreateClaim(ctx, "claim", classic.Immediate)
		d.WaitForClaim(ctx, "claim", "the claim is to be allocated immediately", d.Allocated)
		d.ExpectClaimStays(ctx, "claim", "no pod uses the claim", reservedFor())
		d.ExpectClaimStays(ctx, "of-another", "its class names another driver", classic.Pending)
		d.CreatePod(ctx, "pod", "claim")
		gomega.Expect(d.WaitForBound(ctx, "pod", "its claim is allocated")).To(gomega.Equal(d.Nodes[1]), "only this node has devices")
	},
}
