// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
)

// Stopped is a driver that is temporarily removed from a node.
type Stopped struct {
	Process
	started bool
}

// Stop removes a driver from a node. The driver is started again by
// [Stopped.Start], or at the end of the spec.
func Stop(ctx context.Context, e *env.Env, driver, node string) *Stopped {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("stopping driver %s on node %s", driver, node))
	a := &Stopped{Process: GetProcess(ctx, e, driver, node)}
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		a.start(ctx)
	}, ginkgo.NodeTimeout(2*e.Timeouts.Recovery))
	ctx, cancel := context.WithTimeout(ctx, e.Timeouts.Recovery)
	defer cancel()
	gomega.Expect(e.Drivers.Stop(ctx, driver, node)).To(gomega.Succeed())
	return a
}

// Start starts the driver again. It waits until the driver is registered with
// the kubelet and has published its devices.
func (a *Stopped) Start(ctx context.Context) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("starting driver %s on node %s", a.driver, a.node))
	a.start(ctx)
}

// start starts the driver again. Once that has succeeded, further calls do nothing.
func (a *Stopped) start(ctx context.Context) {
	ginkgo.GinkgoHelper()
	if a.started {
		return
	}
	gomega.Expect(a.env.Drivers.Start(ctx, a.driver, a.node)).To(gomega.Succeed())
	a.started = true
	a.waitForNext(ctx)
}
