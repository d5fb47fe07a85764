// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// multiHostPairsSeeTheirParts creates two claims for a device of two nodes, each with
// two pods, and compares the parts that the containers report with the pods' nodes. The
// nodes of at least one of the devices are not the first ones of their pool.
var multiHostPairsSeeTheirParts = suite.Spec{
	ID:           "multi-host-pairs-see-their-parts",
	Description:  "The pods of two devices of two nodes each see the nodes of their own device, and the part of the device on their node.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     multiHostFeatures,
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindMultiHost},
	Fields:       []subject.Field{subject.MultiHostPart},
	MinNodes:     4,
	Requirements: []string{"4815-pods-share-a-multi-host-device"},
	Body: func(ctx context.Context, e *env.Env) {
		pair := e.Subject.MultiHost.Pair
		first := pods.CreateSharingClaim(ctx, e, "first", pair, 2, pods.Options{})
		second := pods.CreateSharingClaim(ctx, e, "second", pair, 2, pods.Options{})
		expectParts(ctx, e, first)
		expectParts(ctx, e, second)
	},
}
