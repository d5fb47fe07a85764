// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"strings"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicHandleDataIsLimited allocates a claim with too much data for the kubelet
// plugin of the driver, and with as much as possible.
var classicHandleDataIsLimited = suite.Spec{
	ID:           "classic-handle-data-is-limited",
	Description:  "An allocation has up to 16 KiB of data for the kubelet plugin of a driver.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-handle-data"},
	Body: func(ctx context.Context, e *env.Env) {
		const most = 16 << 10
		c := classic.CreateEarlier(ctx, e, 1)
		c.CreateClaim(ctx, "claim", classic.Immediate)
		expectInvalid(c.TryAllocate(ctx, "claim", strings.Repeat("x", most+1), c.Nodes...), "Too long", "more than 16 KiB of data")
		gomega.Expect(c.TryAllocate(ctx, "claim", strings.Repeat("x", most), c.Nodes...)).To(gomega.Succeed(), "16 KiB of data should be accepted")
	},
}
