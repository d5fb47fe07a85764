// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// InjectFault injects a fault into the next calls that a driver receives on a
// node. The fault is removed at the end of the spec at the latest. It is injected once,
// although the request is repeated if its answer is lost.
func InjectFault(ctx context.Context, e *env.Env, driver, node string, fault operations.Fault) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("injecting fault %s into %s of driver %s on node %s", fault.Action, fault.Method, driver, node))
	fault.ID = string(uuid.NewUUID())
	// If all answers are lost, the fault is injected nevertheless.
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		removeFaults(ctx, e, driver, node)
	}, ginkgo.NodeTimeout(e.Timeouts.Deletion))
	sendChange(ctx, e, driver, node, func(ctx context.Context, pod operations.Driver) error { return pod.Inject(ctx, driver, fault) })
}

// RemoveFaults removes all faults of a driver on a node.
func RemoveFaults(ctx context.Context, e *env.Env, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("removing the faults of driver %s on node %s", driver, node))
	removeFaults(ctx, e, driver, node)
}

func removeFaults(ctx context.Context, e *env.Env, driver, node string) {
	ginkgo.GinkgoHelper()
	sendChange(ctx, e, driver, node, func(ctx context.Context, pod operations.Driver) error { return pod.Release(ctx, driver) })
}
