// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"
	"errors"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingFailureAllocatesAnotherDevice publishes two devices in pools of their own.
// It withdraws the one that the scheduler chooses, and reports that it has failed,
// as a driver should (KEP-5007, Handling attachment failures). A scheduler may
// observe late that the device is gone, so this happens each time it is chosen.
var bindingFailureAllocatesAnotherDevice = suite.Spec{
	ID:           "binding-failure-allocates-another-device",
	Description:  "When a device fails and its driver withdraws it, another device is allocated to the claim, and the pod is bound when that one is ready.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-failure-clears-allocation", "5007-pod-is-rescheduled"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for i, device := range []string{"card", "disk"} {
			sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[i]}, fabric(device))
		}
		pods.CreateWithRequests(ctx, e, "pod", fixture.AnyDevice(sim))
		chosen := claims.WaitForAllocation(ctx, e, "pod", "there are two devices").Results[0]
		sim.DeleteSlices(ctx, chosen.Pool, 0)
		waitForAnother(ctx, e, chosen)
		reportReady(ctx, e, "pod")
		pods.WaitForScheduled(ctx, e, "pod")
	},
}

// waitForAnother reports that a device of the claim pod has failed whenever it is
// allocated, until another device is.
func waitForAnother(ctx context.Context, e *env.Env, broken resourceapi.DeviceRequestAllocationResult) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) error {
		claim, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, "pod", metav1.GetOptions{})
		switch {
		case err != nil:
			return err
		case claim.Status.Allocation == nil:
			return errors.New("claim pod is not allocated")
		case claim.Status.Allocation.Devices.Results[0].Device != broken.Device:
			return nil
		case len(claim.Status.Devices) == 0:
			// The claim may be deallocated at the same time, which is an error.
			err = claims.UpdateDeviceStatus(ctx, e, "pod", statusOf(broken, conditions{failed: metav1.ConditionTrue}))
		}
		return errors.Join(fmt.Errorf("claim pod is allocated device %s, which has failed", broken.Device), err)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "claim pod should be allocated the device that is left, because the first one has failed")
}
