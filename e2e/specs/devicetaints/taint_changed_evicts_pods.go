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

// taintChangedEvictsPods sets taints of devices under their pods, and when a pod is
// evicted because of the first ones, it replaces them by others.
var taintChangedEvictsPods = suite.Spec{
	ID:           "taint-changed-evicts-pods",
	Description:  "When the effect or the value of a taint in a ResourceSlice changes, or another taint is added, pods are evicted if their claim does not tolerate the taints that the device has then, and only then.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.35", // 1.34 records no tolerations, and rejects the effect None.
	Requirements: []string{"5055-changed-taint-evicts"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		used := createUsedDevices(ctx, e, sim, "used", fixture.ReadList[attempt](data, "changes.yaml"))
		used.setTaints(ctx, before)
		pods.WaitForDisrupted(ctx, e, "its device has a taint of the effect NoExecute", witness)
		used.setTaints(ctx, after)
		used.waitForEvicted(ctx, e)
		pods.ExpectNotEvicted(ctx, e, "their claims tolerate all taints of the effect NoExecute that their devices have or had", used.staying...)
	},
}
