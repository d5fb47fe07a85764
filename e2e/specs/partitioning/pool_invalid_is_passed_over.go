// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolInvalidIsPassedOver publishes an invalid pool and a valid one on each of
// five nodes. The invalid pools have a duplicate device, a duplicate counter
// set, or consume from an unknown counter set, also beside a known one, or an
// unknown counter. A pod on each node requests a device of each pool.
var poolInvalidIsPassedOver = suite.Spec{
	ID:          "pool-invalid-is-passed-over",
	Description: "No device is allocated from a pool that is invalid in one of four ways, even if only its last device is wrong. Other pools of the node stay available.",
	Profile:     profile,
	Smoke:       true,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Since:       "1.35",
	Requirements: []string{
		"4815-references-unchecked-at-admission",
		"4815-duplicate-device",
		"4815-duplicate-counter-set",
		"4815-unknown-counter-set",
		"4815-unknown-counter",
		"4815-valid-pools-serve-on",
	},
	Body: func(ctx context.Context, e *env.Env) {
		wrong := []string{"duplicate-device", "duplicate-counter-set", "unknown-counter-set", "unknown-counter", "unknown-behind"}
		sim := simulated.CreateNodes(ctx, e, len(wrong))
		var plain, valid []string
		for i, kind := range wrong {
			// The pools are named a-wrong and valid, so that the invalid one is
			// first.
			loadPools(kind).publish(ctx, sim, sim.Names[i])
			plain, valid = append(plain, "plain-"+kind), append(valid, "valid-"+kind)
		}
		for i := range wrong {
			createPodOnNode(ctx, e, sim, sim.Names[i], plain[i], "plain")
			createPodOnNode(ctx, e, sim, sim.Names[i], valid[i], "valid")
		}
		pods.WaitForAllUnschedulable(ctx, e, "the pool of its device contradicts itself", plain...)
		pods.WaitForScheduled(ctx, e, valid...)
	},
}
