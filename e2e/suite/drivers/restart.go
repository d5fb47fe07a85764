package drivers

import (
	"context"
	"errors"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// Restart kills a driver's process on a node without time to clean up. It waits
// until the next process is registered with the kubelet, and asserts what
// [WaitForRegisteredWithClaims] does.
func Restart(ctx context.Context, e *env.Env, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("killing driver %s on node %s", driver, node))
	before := WaitForStatus(ctx, e, driver, node)
	sendChange(ctx, e, driver, node, func(ctx context.Context, pod operations.Driver) error { return pod.Exit(ctx) })
	WaitForRegisteredWithClaims(ctx, e, driver, node, before)
}

// WaitForRegisteredWithClaims waits until a new process of a driver is
// registered with the kubelet and has published its devices. It asserts that
// the process knows the same prepared claims as the previous one.
func WaitForRegisteredWithClaims(ctx context.Context, e *env.Env, driver, node string, before operations.Status) {
	ginkgo.GinkgoHelper()
	now := waitForRegistered(ctx, e, driver, node, before)
	gomega.Expect(now.Claims).To(gomega.Equal(before.Claims), "driver %s on node %s should have the same prepared claims as before", driver, node)
}

// waitForRegistered is [WaitForRegisteredWithClaims] without the assertion
// about claims, because the kubelet may have unprepared claims in the meantime.
func waitForRegistered(ctx context.Context, e *env.Env, driver, node string, before operations.Status) (now operations.Status) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		if now, err = getStatus(ctx, e, driver, node); err != nil {
			return err
		}
		switch {
		case now.Process == before.Process:
			return errors.New("the driver was not restarted")
		case !now.Registered:
			return errors.New("the driver is not registered with the kubelet")
		case now.Pending != "":
			return fmt.Errorf("the devices of the driver are not published: %s", now.Pending)
		}
		return nil
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "driver %s should be registered again on node %s", driver, node)
	return now
}

// Update replaces a driver's pods on all nodes and waits for the new pods. On
// the given node it asserts what [WaitForRegisteredWithClaims] does.
func Update(ctx context.Context, e *env.Env, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("updating driver %s", driver))
	before := WaitForStatus(ctx, e, driver, node)
	updating, cancel := context.WithTimeout(ctx, e.Timeouts.Recovery)
	defer cancel()
	gomega.Expect(e.Drivers.Update(updating, driver)).To(gomega.Succeed(), "the driver's new pods should become ready")
	WaitForRegisteredWithClaims(ctx, e, driver, node, before)
}
