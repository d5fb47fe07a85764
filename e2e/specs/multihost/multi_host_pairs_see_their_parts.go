// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// multiHostPairsSeeTheirParts creates two claims for a device of two nodes, each with
// two pods, and compares the parts that the containers report with the pods' nodes. The
// nodes of at least one of the devices are not the first ones of their pool. Devices of two
// nodes may overlap, so that the first one may leave no other.
var multiHostPairsSeeTheirParts = suite.Spec{
	ID:           "multi-host-pairs-see-their-parts",
	Description:  "Two devices of two nodes are available on these nodes only. Their pods each see the nodes of their own device, and the part of the device on their node.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     multiHostFeatures,
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindMultiHost},
	Fields:       []subject.Field{subject.MultiHostPart},
	MinNodes:     4,
	Requirements: []string{"4815-pods-share-a-multi-host-device", "4815-devices-follow-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		pair := e.Subject.MultiHost.Pair
		first := pods.CreateSharingClaim(ctx, e, "first", pair, 2, pods.Options{})
		offer := expectOwnNodes(ctx, e, "first", first)
		for _, device := range claims.GetDevicesForRequest(ctx, e, "first", "device") {
			if !offer.HasBeside(device, 2) {
				e.NotApplicable(fmt.Sprintf("needs two devices of two nodes that can be used together; claim first was allocated %s, which leaves none", device))
			}
		}
		second := pods.CreateSharingClaim(ctx, e, "second", pair, 2, pods.Options{})
		expectOwnNodes(ctx, e, "second", second)
		expectParts(ctx, e, first)
		expectParts(ctx, e, second)
	},
}

// expectOwnNodes waits until the pods that share a claim are scheduled, and asserts that
// the driver publishes the claim's device for their nodes and no others. A pod on another
// node would find no part of the device. It returns what the driver offers.
func expectOwnNodes(ctx context.Context, e *env.Env, claim string, podNames []string) devices.Offer {
	ginkgo.GinkgoHelper()
	own := waitForNodes(ctx, e, podNames...)
	offer := devices.WaitForOffer(ctx, e, e.Subject.MultiHost.Pair.Driver)
	for _, device := range claims.GetDevicesForRequest(ctx, e, claim, "device") {
		gomega.Expect(offer.NodesOf(device)).To(gomega.ConsistOf(own), "device %s should be available on the nodes of the pods of claim %s only", device, claim)
	}
	return offer
}
