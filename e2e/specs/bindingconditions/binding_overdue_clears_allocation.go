// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// longAgo is an age of allocations after which no scheduler waits any more. By default,
// kube-scheduler gives up after 10 minutes. A spec cannot know how long another one waits,
// but it can write an old allocation.
const longAgo = 48 * time.Hour

// bindingOverdueClearsAllocation writes an old allocation of a device that is still not
// ready, as that of a pod that was deleted while it waited. A new pod uses the claim. Two
// more pods use a claim whose allocation is as old and whose device is ready.
var bindingOverdueClearsAllocation = suite.Spec{
	ID:           "binding-overdue-clears-allocation",
	Description:  "If a device is not ready long after its allocation, the claim is deallocated and allocated again. The pod is bound when the device is ready then. A device that is ready can be used however old its allocation is.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-timeout-clears-allocation"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fabric("card", "disk"))
		allocateLongAgo(ctx, e, sim, "overdue", "card")
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{}, "overdue")
		waitForRecentAllocation(ctx, e, "overdue")
		reportReady(ctx, e, "overdue")
		pods.WaitForScheduled(ctx, e, "pod")

		allocateLongAgo(ctx, e, sim, "old", "disk")
		reportReady(ctx, e, "old")
		before := claims.Get(ctx, e, "old").Status
		for _, user := range []string{"user", "second-user"} {
			pods.CreateUsingClaims(ctx, e, user, pods.Options{}, "old")
			pods.WaitForScheduled(ctx, e, user)
		}
		after := claims.Get(ctx, e, "old").Status
		gomega.Expect(after.Allocation).To(gomega.Equal(before.Allocation), "claim old should keep its allocation, because its device is ready")
	},
}

// allocateLongAgo creates a claim for a device with binding conditions, and writes an old
// allocation of this device.
func allocateLongAgo(ctx context.Context, e *env.Env, sim *simulated.Nodes, claim, device string) {
	ginkgo.GinkgoHelper()
	_, err := claims.Create(ctx, e, claim, devices.NewDeviceClaim(fixture.RequestFor(sim, device)))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	allocation := fixture.Allocation(sim.Driver, sim.Names[0], "device", device)
	allocation.AllocationTimestamp = ptr.To(metav1.NewTime(time.Now().Add(-longAgo)))
	result := &allocation.Devices.Results[0]
	result.BindingConditions, result.BindingFailureConditions = []string{attached, configured}, []string{failed, misfit}
	gomega.Expect(claims.Allocate(ctx, e, claim, allocation)).To(gomega.Succeed())
}

// waitForRecentAllocation waits until a claim has an allocation that is not old.
func waitForRecentAllocation(ctx context.Context, e *env.Env, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until claim " + claim + " is allocated anew")
	gomega.Eventually(ctx, func(ctx context.Context) error {
		got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
		switch {
		case err != nil:
			return err
		case got.Status.Allocation == nil:
			return fmt.Errorf("claim %s is not allocated", claim)
		}
		if at := got.Status.Allocation.AllocationTimestamp; at != nil && time.Since(at.Time) > longAgo/2 {
			return fmt.Errorf("claim %s still has the allocation of %s", claim, at)
		}
		return nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "claim %s should be allocated anew, because its device was not ready in time", claim)
}
