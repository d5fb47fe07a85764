// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintTolerationSecondsDelayEviction schedules pods that tolerate a taint for no
// time, a short time, and an hour. One of the devices was tainted two hours ago.
// The short time is compared by the clock of the API server. Meanwhile, its device
// changes again and again, and keeps the taint. At last, a pod gets a device that was
// published with the taint.
var taintTolerationSecondsDelayEviction = suite.Spec{
	ID:           "taint-toleration-seconds-delay-eviction",
	Description:  "A pod whose claim tolerates a taint for tolerationSeconds is evicted when this time has passed since the taint was added, and not before. Changes of the device that leave the taint as it is do not delay that. It is the same if the device has the taint before it is allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.35", // 1.34 evicts at once, because it records no tolerations.
	Requirements: []string{"5055-toleration-seconds"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		// Times in the API are rounded to seconds, and clocks may differ a little.
		const short, inaccuracy = 6 * time.Second, 2 * time.Second
		tolerated := map[string]time.Duration{"for-no-time": 0, "for-a-short-time": short, "for-an-hour": time.Hour, "until-an-hour-ago": time.Hour}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices(slices.Sorted(maps.Keys(tolerated))...))
		taints := map[string][]resourceapi.DeviceTaint{}
		for name, duration := range tolerated {
			toleration := tolerate(worn, noExecute.Effect)
			toleration.TolerationSeconds = ptr.To(int64(duration.Seconds()))
			createPodFor(ctx, e, sim, name, name, toleration)
			pods.WaitForScheduled(ctx, e, name)
			taints[name] = []resourceapi.DeviceTaint{noExecute}
		}
		taints["until-an-hour-ago"][0].TimeAdded = ptr.To(metav1.NewTime(time.Now().Add(-2 * time.Hour).Truncate(time.Second)))

		added := sim.SetTaints(ctx, sim.Names[0], taints)["for-a-short-time"].Taints[0].TimeAdded
		pods.WaitForDisrupted(ctx, e, "its claim tolerates the taint for no time", "for-no-time")
		pods.WaitForDisrupted(ctx, e, "its claim tolerates the taint for an hour, and the taint was added two hours ago", "until-an-hour-ago")
		changeUntilEvicted(ctx, allowing(e, short), sim, "for-a-short-time")
		pods.WaitForDisrupted(ctx, allowing(e, short), "its claim tolerates the taint only for "+short.String(), "for-a-short-time")
		gomega.Expect(pods.GetDeletionTime(ctx, e, "for-a-short-time")).To(gomega.BeTemporally(">=", added.Add(short-inaccuracy)), "pod for-a-short-time should not be evicted before %s have passed since %s", short, added)
		pods.ExpectNotEvicted(ctx, e, "its claim tolerates the taint for an hour", "for-an-hour")
		expectEvictedFromTainted(ctx, e, sim)
	},
}

// expectEvictedFromTainted publishes a device with a taint, schedules a pod that tolerates the
// taint for some time, and waits until it is evicted. Nothing but the claim changes meanwhile.
func expectEvictedFromTainted(ctx context.Context, e *env.Env, sim *simulated.Nodes) {
	ginkgo.GinkgoHelper()
	const tolerated = 10 * time.Second
	sim.CreatePool(ctx, simulated.Pool{Name: sim.Names[0] + "-tainted", Node: sim.Names[0]}, withTaint(noExecute, "tainted-before"))
	toleration := tolerate(worn, noExecute.Effect)
	toleration.TolerationSeconds = ptr.To(int64(tolerated.Seconds()))
	createPodFor(ctx, e, sim, "tainted-before", "tainted-before", toleration)
	pods.WaitForScheduled(ctx, e, "tainted-before")
	pods.WaitForDisrupted(ctx, allowing(e, tolerated), "its device had the taint before it was allocated, and its claim tolerates it only for "+tolerated.String(), "tainted-before")
}
