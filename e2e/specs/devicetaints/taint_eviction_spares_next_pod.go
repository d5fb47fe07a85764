// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
// evicted, the eviction of the replaced one would be due, too. If replacing it took too long,
// the spec tries it again with a longer time.
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
		for tolerated := 10 * time.Second; !replaceInTime(ctx, e, sim, tolerated); tolerated *= 3 {
			if tolerated > e.Timeouts.PodStart {
				e.NotApplicable("it takes too long to replace a pod before it is evicted")
			}
		}
	},
}

// replaceInTime performs the spec with a time. It returns false, and asserts nothing, if the next
// pod was created too late.
func replaceInTime(ctx context.Context, e *env.Env, sim *simulated.Nodes, tolerated time.Duration) bool {
	ginkgo.GinkgoHelper()
	// Times in the API are rounded to seconds, and clocks may differ a little.
	const inaccuracy = 2 * time.Second
	name := func(of string) string { return of + "-" + tolerated.String() }
	replaced, left, evicted := name("replaced"), name("left"), name(witness)
	sim.CreatePool(ctx, simulated.Pool{Name: name("pool"), Node: sim.Names[0]}, fixture.Devices(replaced, left, evicted, name("next")))
	toleration := tolerate(worn, noExecute.Effect)
	toleration.TolerationSeconds = ptr.To(int64(tolerated.Seconds()))
	createPodFor(ctx, e, sim, replaced, replaced, toleration)
	createPodFor(ctx, e, sim, left, left, toleration)
	createPodFor(ctx, e, sim, evicted, evicted)
	pods.WaitForScheduled(ctx, e, replaced, left, evicted)
	taints := []resourceapi.DeviceTaint{noExecute}
	set := sim.SetTaints(ctx, name("pool"), map[string][]resourceapi.DeviceTaint{replaced: taints, left: taints, evicted: taints})
	pods.WaitForDisrupted(ctx, e, "its device has a taint of the effect NoExecute", evicted)

	pods.DeleteByForce(ctx, e, replaced)
	claims.DeleteWithoutWaiting(ctx, e, replaced)
	claims.FreeDeleted(ctx, e, replaced)
	createPodFor(ctx, e, sim, replaced, name("next"))
	pods.WaitForScheduled(ctx, e, replaced)
	next, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, replaced, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	if due := set[left].Taints[0].TimeAdded.Add(tolerated - inaccuracy); next.CreationTimestamp.After(due) {
		return false
	}
	pods.WaitForDisrupted(ctx, allowing(e, tolerated), "its claim tolerates the taint only for "+tolerated.String(), left)
	pods.ExpectNotEvicted(ctx, e, "its device has no taint, and the pod with this name whose device has one is gone", replaced)
	return true
}
