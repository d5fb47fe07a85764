// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintToleratedDoesNotEvict schedules pods whose claims have tolerations that
// differ in their key, value and effect. In one update, all devices get taints.
// The evictions of some pods show that the update has been processed.
var taintToleratedDoesNotEvict = suite.Spec{
	ID:           "taint-tolerated-does-not-evict",
	Description:  "A pod stays if its claim tolerates all taints of the effect NoExecute of its device. A toleration with another key, value or effect does not keep it. Of several times for which taints are tolerated, the earliest counts.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.35", // 1.34 evicts, because it records no tolerations.
	Requirements: []string{"5055-tolerated-pods-stay", "5055-earliest-time-counts"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		used := createUsedDevices(ctx, e, sim, "used", fixture.ReadList[attempt](data, "evictions.yaml"))
		used.setTaints(ctx, after)
		used.waitForEvicted(ctx, e)
		pods.ExpectNotEvicted(ctx, e, "their claims tolerate the taints", used.staying...)
	},
}
