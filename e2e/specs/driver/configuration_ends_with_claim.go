// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// configurationEndsWithClaim runs a pod with a configured device, deletes the pod and its claim,
// and runs pods without a configuration on the same node until one of them has the device.
var configurationEndsWithClaim = suite.Spec{
	ID:           "configuration-ends-with-claim",
	Description:  "A container whose device was configured for an earlier claim does not see that configuration.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Fields:       configuredFields,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-configuration-of-claims", "4381-unprepare-undoes-prepare"},
	Body: func(ctx context.Context, e *env.Env) {
		plain := findDeviceOnNode(ctx, e)
		configured := plain
		configured.Config = append(slices.Clip(plain.Config), e.Subject.Exclusive.Configured.Config)
		earlier := configured.start(ctx, e, "earlier")
		used := pods.WaitForRunning(ctx, e, earlier)
		pods.ExpectConfigured(ctx, e, earlier, pods.MainContainer, true)
		pods.DeleteWithClaim(ctx, e, "earlier", earlier)
		for _, next := range plain.useEach(ctx, e, used) {
			pods.ExpectConfigured(ctx, e, next, pods.MainContainer, false)
		}
	},
}
