// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package components restarts components of the cluster.
package components

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
)

// RestartKubelet kills the kubelet of a node and waits until the next one
// answers.
func RestartKubelet(ctx context.Context, e *env.Env, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("killing the kubelet of node %s", node))
	gomega.Expect(e.Nodes.RestartKubelet(ctx, node)).To(gomega.Succeed())
}

// WithoutKubelet kills the kubelet of a node, calls meanwhile, and waits until the
// next one answers.
func WithoutKubelet(ctx context.Context, e *env.Env, node string, meanwhile func()) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("ending the kubelet of node %s for a while", node))
	gomega.Expect(e.Nodes.WithoutKubelet(ctx, node, meanwhile)).To(gomega.Succeed())
}

// RestartScheduler ends the pods' scheduler and waits until the next process is
// the leader.
func RestartScheduler(ctx context.Context, e *env.Env) {
	ginkgo.GinkgoHelper()
	ginkgo.By("restarting the scheduler")
	gomega.Expect(e.ControlPlane.RestartScheduler(ctx)).To(gomega.Succeed())
}

// RestartNode stops a node, starts it again, and waits until its driver is
// registered. It asserts that the driver knows the same prepared claims as
// before.
func RestartNode(ctx context.Context, e *env.Env, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("restarting node %s", node))
	before := drivers.GetProcess(ctx, e, driver, node)
	gomega.Expect(e.Nodes.RestartNode(ctx, node)).To(gomega.Succeed())
	before.WaitForNextWithClaims(ctx)
}
