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

// classicClassCreatedLetsPodsIn creates the class of a claim after a pod for it.
var classicClassCreatedLetsPodsIn = suite.Spec{
	ID:           "classic-class-created-lets-pods-in",
	Description:  "A pod with a claim for a class that does not exist is not scheduled until the class is created.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-retries-class-created"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.ClassName("late"))
		pod := c.CreatePod(ctx, "pod", "claim")
		gomega.Consistently(ctx, func(ctx context.Context) bool {
			found, err := c.GetContext(ctx, "pod")
			return err == nil && found.Spec.SelectedNode != ""
		}).WithTimeout(e.Timeouts.Stable).Should(gomega.BeFalse(), "no node should be selected without the class")
		c.CreateClass(ctx, "late", nil)
		node := c.WaitForSelectedNode(ctx, "pod", "the class exists")
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), node), pod)
		c.WaitForBound(ctx, "pod", "its claim is allocated")
	},
}
