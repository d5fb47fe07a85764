// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// taintToleratedDoesNotEvict schedules pods whose claims have tolerations that
// differ in their key, value and effect. In one update, all devices get taints.
// The evictions of some pods show that the update has been processed.
var taintToleratedDoesNotEvict = suite.Spec{
	ID:           "taint-tolerated-does-not-evict",
	Description:  "A pod stays if its claim tolerates all taints of the effect NoExecute of its device. A toleration with another key, value or effect does not keep it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.35", // 1.34 evicts, because it records no tolerations.
	Requirements: []string{"5055-tolerated-pods-stay"},
	Body: func(ctx context.Context, e *env.Env) {
		evicted, staying := taintUnderPods(ctx, e, "evictions.yaml")
		for name, because := range evicted {
			pods.WaitForEvicted(ctx, e, because, name)
		}
		pods.ExpectNotEvicted(ctx, e, "their claims tolerate the taints", staying...)
	},
}
