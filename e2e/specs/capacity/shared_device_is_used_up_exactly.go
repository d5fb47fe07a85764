// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceIsUsedUpExactly creates six pods that request two slots each
// before there is a device, and then publishes one with eight slots. Then a
// pod ends.
var sharedDeviceIsUsedUpExactly = suite.Spec{
	ID:          "shared-device-is-used-up-exactly",
	Description: "Of many pods that compete for shares of a device, exactly as many get one as its capacity allows, and another one for each that is deleted.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-capacity-not-exceeded",
		"5075-release-returns-capacity",
		"5075-slice-keeps-its-value",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		const because = "all 8 slots are in use"
		var podNames []string
		for i := range 6 {
			podNames = append(podNames, fmt.Sprintf("user-%d", i))
			pods.CreateWithRequests(ctx, e, podNames[i], requestShare(sim, "nic", slots(2)))
		}
		// All pods become schedulable at the same time, so that the scheduler
		// handles each one before the previous ones are bound.
		pods.WaitForAllUnschedulable(ctx, e, "there is no device", podNames...)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "nic.yaml"))

		got, waiting := waitForScheduledCount(ctx, e, podNames, 4)
		pods.WaitForAllUnschedulable(ctx, e, because, waiting...)

		// The pod ends. Its claim still exists, but is deallocated.
		pods.Delete(ctx, e, got[0])
		claims.WaitForDeallocated(ctx, e, got[0])
		got, waiting = waitForScheduledCount(ctx, e, slices.Concat(got[1:], waiting), 4)
		pods.WaitForAllUnschedulable(ctx, e, because, waiting...)

		// Allocating a share does not change the ResourceSlice.
		inventory, err := devices.GetInventory(ctx, e)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		device, _ := inventory.Device(pods.WaitForScheduled(ctx, e, got[0])[0])
		total := device.Capacity["slots"].Value
		gomega.Expect(total.Value()).To(gomega.Equal(int64(8)), "the slice should still state all slots")
	},
}

// waitForScheduledCount waits until the wanted number of pods is scheduled. It
// asserts that no more pods are scheduled, and checks each of them like
// [pods.WaitForScheduled]. It returns the scheduled pods and the others.
func waitForScheduledCount(ctx context.Context, e *env.Env, podNames []string, want int) (got, others []string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until %d of the pods %v are scheduled", want, podNames))
	gomega.Eventually(ctx, func(ctx context.Context) (_ []string, err error) {
		got, others, err = expect.ListScheduled(ctx, e, podNames)
		return got, err
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.WithTransform(func(got []string) int { return len(got) }, gomega.BeNumerically(">=", want)), "%d pods should be scheduled, because the device has enough for them", want)
	for _, name := range got {
		pods.WaitForScheduled(ctx, e, name)
	}
	gomega.Expect(got).To(gomega.HaveLen(want), "no more pods should be scheduled than the device has enough for")
	return got, others
}
