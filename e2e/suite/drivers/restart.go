// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// Process is the process of a driver on a node before it ends.
type Process struct {
	env          *env.Env
	driver, node string
	// status is nil if the driver has no control endpoint.
	status *operations.Status
}

// GetProcess returns the current process of a driver on a node.
func GetProcess(ctx context.Context, e *env.Env, driver, node string) Process {
	ginkgo.GinkgoHelper()
	p := Process{env: e, driver: driver, node: node}
	if isControlled(e, driver) {
		p.status = ptr.To(WaitForStatus(ctx, e, driver, node))
	}
	return p
}

// isControlled reports whether a driver has a control endpoint.
func isControlled(e *env.Env, driver string) bool {
	return e.Drivers != nil && e.Drivers.Lacks(driver, operations.Calls) == ""
}

// Restart kills a driver's process on a node without time to clean up. It waits
// until the next process is ready, and asserts what
// [Process.WaitForNextWithClaims] does.
func Restart(ctx context.Context, e *env.Env, driver, node string) {
	ginkgo.GinkgoHelper()
	kill(ctx, e, driver, node).WaitForNextWithClaims(ctx)
}

// RestartDuringChange is [Restart] while pods of the node start or end, so that
// it asserts nothing about the claims.
func RestartDuringChange(ctx context.Context, e *env.Env, driver, node string) {
	ginkgo.GinkgoHelper()
	kill(ctx, e, driver, node).waitForNext(ctx)
}

// kill ends a driver's process on a node and returns that process.
func kill(ctx context.Context, e *env.Env, driver, node string) Process {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("killing driver %s on node %s", driver, node))
	before := GetProcess(ctx, e, driver, node)
	retry(ctx, e, driver, node, func(ctx context.Context) error { return e.Drivers.Restart(ctx, driver, node) })
	return before
}

// WaitForNextWithClaims waits until the next process of the driver is
// registered with the kubelet and has published its devices. It asserts that
// the process knows the same prepared claims as the previous one. It does
// nothing for a driver without a control endpoint.
func (p Process) WaitForNextWithClaims(ctx context.Context) {
	ginkgo.GinkgoHelper()
	now := p.waitForNext(ctx)
	if now != nil {
		gomega.Expect(now.Claims).To(gomega.Equal(p.status.Claims), "driver %s on node %s should have the same prepared claims as before", p.driver, p.node)
	}
}

// waitForNext is [Process.WaitForNextWithClaims] without the assertion about
// claims, because the kubelet may have unprepared claims in the meantime.
func (p Process) waitForNext(ctx context.Context) *operations.Status {
	ginkgo.GinkgoHelper()
	if p.status == nil {
		return nil
	}
	e, driver, node, before := p.env, p.driver, p.node, *p.status
	var now operations.Status
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
	return &now
}

// Update replaces a driver's pods on all nodes and waits for the new pods, which may
// be replaced one after the other. On the given node it asserts what
// [Process.WaitForNextWithClaims] does.
func Update(ctx context.Context, e *env.Env, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("updating driver %s", driver))
	before := GetProcess(ctx, e, driver, node)
	updating, cancel := context.WithTimeout(ctx, time.Duration(countNodes(ctx, e, driver))*e.Timeouts.Recovery)
	defer cancel()
	gomega.Expect(e.Drivers.Update(updating, driver)).To(gomega.Succeed(), "the driver's new pods should become ready")
	before.WaitForNextWithClaims(ctx)
}

// countNodes returns how many nodes have ResourceSlices of their own of a driver, at
// least one.
func countNodes(ctx context.Context, e *env.Env, driver string) int {
	ginkgo.GinkgoHelper()
	published, err := devices.ListSlices(ctx, e, driver)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	nodes := map[string]bool{}
	for _, slice := range published {
		nodes[ptr.Deref(slice.Spec.NodeName, "")] = true
	}
	return max(1, len(nodes))
}
