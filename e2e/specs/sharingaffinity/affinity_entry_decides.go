// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// affinityEntryDecides publishes a free device with keys for each row of a
// table of configurations, and creates one claim with this configuration for
// the device.
var affinityEntryDecides = suite.Spec{
	ID:          "affinity-entry-decides",
	Description: "A device without claims that declares keys fits a claim with one valid entry that has a string for each of the keys, and no other claim. Other entries of the claim and other attributes of the device do not matter.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-entry-recognized",
		"5981-one-entry-per-request",
		"5981-entry-beside-others",
		"5981-values-are-strings",
		"5981-malformed-entry",
		"5981-missing-entry",
		"5981-bad-entries-do-no-harm",
		"5981-limit-attributes",
		"5981-all-keys-required",
		"5981-other-keys-ignored",
		"5981-clean-takes-any",
		"5981-lock-not-published",
	},
	Body: func(ctx context.Context, e *env.Env) {
		expectTable(ctx, e, "entries")

		// The configuration for drivers must be in the allocation.
		var drivers []string
		for _, config := range claims.GetAllocation(ctx, e, "with-configuration").Config {
			drivers = append(drivers, config.Opaque.Driver)
		}
		gomega.Expect(drivers).To(gomega.ContainElements("nic.draconform.dev", "other.draconform.dev"), "the allocation should have the configuration of the claim for drivers")
	},
}
