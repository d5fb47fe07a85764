// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// ExpectSamePrepareResults asserts that the kubelet called a driver on a node
// to prepare a claim at least the given number of times. All calls must have
// succeeded with the same devices and CDI devices. It does nothing for a driver
// whose calls are not visible.
func ExpectSamePrepareResults(ctx context.Context, e *env.Env, driver, node, claim string, times int) {
	ginkgo.GinkgoHelper()
	if !isControlled(e, driver) {
		return
	}
	ginkgo.By("comparing the responses of the driver for claim " + claim)
	got := GetCalls(ctx, e, driver, node, operations.Prepare, claim)
	gomega.Expect(len(got)).To(gomega.BeNumerically(">=", times), "the kubelet should prepare claim %s again: %v", claim, got)
	for _, call := range got {
		gomega.Expect(call.Succeeded()).To(gomega.BeTrue(), "the driver should prepare claim %s, also if it is already prepared: %v", claim, got)
		gomega.Expect(call.CDIDevices).NotTo(gomega.BeEmpty(), "the driver should return CDI devices for claim %s", claim)
		gomega.Expect(call.Devices).To(gomega.Equal(got[0].Devices), "the driver should return the same devices for claim %s each time", claim)
		gomega.Expect(call.CDIDevices).To(gomega.Equal(got[0].CDIDevices), "the driver should return the same CDI devices for claim %s each time", claim)
	}
}

// WaitForPrepareError waits until a driver has failed to prepare the claim of a
// pod of the same name. It asserts that the error contains all strings of
// because, that an event reports the failure, and that the pod is not started.
func WaitForPrepareError(ctx context.Context, e *env.Env, name, driver, node string, because []string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until driver %s fails to prepare claim %s", driver, name))
	var prepareErr string
	syncTrigger := pods.NewSyncTrigger(e)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		syncTrigger.TriggerUsers(ctx, name)
		got, err := listCalls(ctx, e, driver, node, operations.Prepare, name)
		if err != nil {
			return err
		}
		for _, call := range got {
			switch {
			case call.Succeeded():
				return gomega.StopTrying(fmt.Sprintf("the driver prepared claim %s", name))
			case call.HasEnded():
				prepareErr = call.Error
				return nil
			}
		}
		return fmt.Errorf("the driver has not responded for claim %s", name)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "driver %s should fail to prepare claim %s, because of %v", driver, name, because)
	for _, word := range because {
		gomega.Expect(prepareErr).To(gomega.ContainSubstring(word), "the driver should report why it fails to prepare claim %s", name)
	}
	pods.ExpectNotStarted(ctx, e, name, "")
}

// WaitForPrepared waits until a driver on a node has prepared a claim, and has
// CDI files for exactly its prepared claims. Of a driver without a control
// endpoint, only the number of prepared claims may be known, and then it must be
// that of the claims that pods of the node use. If it is unknown, too, nothing
// is checked.
func WaitForPrepared(ctx context.Context, e *env.Env, driver, node, claim string) {
	ginkgo.GinkgoHelper()
	waitForPrepared(ctx, e, driver, node, claim, true)
}

// WaitForUnprepared waits until a claim is not prepared by a driver on a node,
// and the driver has CDI files for exactly its prepared claims. For drivers
// without a control endpoint it is as [WaitForPrepared].
func WaitForUnprepared(ctx context.Context, e *env.Env, driver, node, claim string) {
	ginkgo.GinkgoHelper()
	waitForPrepared(ctx, e, driver, node, claim, false)
}

func waitForPrepared(ctx context.Context, e *env.Env, driver, node, claim string, prepared bool) {
	ginkgo.GinkgoHelper()
	if !isControlled(e, driver) {
		waitForClaimsInUse(ctx, e, driver, node)
		return
	}
	gomega.Eventually(ctx, func(ctx context.Context) error {
		status, err := getStatus(ctx, e, driver, node)
		if err != nil {
			return err
		}
		if slices.Contains(status.Claims, e.Namespace+"/"+claim) != prepared {
			return fmt.Errorf("driver %s on node %s has prepared %v", driver, node, status.Claims)
		}
		if !slices.Equal(status.Described, status.Claims) {
			return fmt.Errorf("driver %s on node %s has prepared %v, and there are CDI files for %v", driver, node, status.Claims, status.Described)
		}
		return nil
	}).WithTimeout(e.Timeouts.Deletion).Should(gomega.Succeed(), "claim %s should be prepared: %t", claim, prepared)
}
