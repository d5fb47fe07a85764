// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintEvictionSparesNextPod schedules two pods whose claims tolerate a taint for some time, and
// taints their devices and that of a pod whose claim tolerates nothing. When that one is
// evicted, so that the controller has observed the taints, it replaces one of the other pods and
// its claim by others of the same names with another device. When the pod that is left is
// evicted, the eviction of the replaced one would be due, too.
var taintEvictionSparesNextPod = suite.Spec{
	ID:           "taint-eviction-spares-next-pod",
	Description:  "When a pod is deleted before the time has passed for which its claim tolerates a taint, the pod that replaces it under the same name with another device stays.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.35", // 1.34 evicts at once, because it records no tolerations.
	Requirements: []string{"5055-no-execute-evicts", "5055-toleration-seconds"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		const tolerated = 10 * time.Second
		toleration := tolerate(worn, noExecute.Effect)
		toleration.TolerationSeconds = ptr.To(int64(tolerated.Seconds()))
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk", "tape", witness))
		createPodFor(ctx, e, sim, "replaced", "card", toleration)
		createPodFor(ctx, e, sim, "left", "disk", toleration)
		createPodFor(ctx, e, sim, witness, witness)
		pods.WaitForScheduled(ctx, e, "replaced", "left", witness)
		taints := []resourceapi.DeviceTaint{noExecute}
		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"card": taints, "disk": taints, witness: taints})
		pods.WaitForDisrupted(ctx, e, "its device has a taint of the effect NoExecute", witness)

		pods.DeleteByForce(ctx, e, "replaced")
		claims.Delete(ctx, e, "replaced")
		createPodFor(ctx, e, sim, "replaced", "tape")
		pods.WaitForScheduled(ctx, e, "replaced")
		if pods.IsEvicted(ctx, e, "left") {
			e.NotApplicable("it takes too long to replace a pod before another one is evicted")
		}
		pods.WaitForDisrupted(ctx, allowing(e, tolerated), "its claim tolerates the taint only for "+tolerated.String(), "left")
		pods.ExpectNotEvicted(ctx, e, "its device has no taint, and the pod with this name whose device has one is gone", "replaced")
	},
}
