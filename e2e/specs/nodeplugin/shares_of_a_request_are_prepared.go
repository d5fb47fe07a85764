// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"
	"slices"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// sharesOfARequestArePrepared runs a pod with a claim that has one request for two
// shares, both of the same device, as kube-scheduler up to 1.35 allocates it. Only the IDs
// of the shares tell them apart. The spec allocates the claim, because other schedulers
// choose another device for each share of a request. Runs with a node agent may do so.
var sharesOfARequestArePrepared = suite.Spec{
	ID:           "shares-of-a-request-are-prepared",
	Description:  "A driver prepares a claim that was allocated two shares of one device for the same request, and the pod of the claim runs.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.SharedDevices},
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindShared},
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"5075-shares-by-id"},
	Body: func(ctx context.Context, e *env.Env) {
		share := findOnNode(ctx, e, e.Subject.Shared.Share)
		pod := share.start(ctx, e, "one")
		pods.WaitForRunning(ctx, e, pod)
		one := claims.Get(ctx, e, "one")
		// A device has room for two shares at least, if no neighbour uses it.
		pods.DeleteWithClaim(ctx, e, "one", pod)
		share.needRoom(ctx, e, one)
		claims.CreateWithTwoShares(ctx, e, "both", one)
		pods.CreateUsingClaims(ctx, e, "both", pods.Options{Node: share.plugin.Node}, "both")
		pods.WaitForContainersRunning(ctx, e, "both")
	},
}

// needRoom ends the spec if the device of a claim that is gone has no room for two shares like
// that of the claim. No scheduler checks that for the spec.
func (d deviceOnNode) needRoom(ctx context.Context, e *env.Env, one *resourceapi.ResourceClaim) {
	ginkgo.GinkgoHelper()
	results := one.Status.Allocation.Devices.Results
	if why := devices.LackingRoom(ctx, e, slices.Concat(results, results)); why != "" {
		e.NotApplicable("needs a device with room for two shares; " + why)
	}
}
