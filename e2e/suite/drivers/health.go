// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// SetUnhealthy makes a driver on a node report the given devices as unhealthy,
// and all others as healthy. At the end of the spec, all devices are healthy.
func SetUnhealthy(ctx context.Context, e *env.Env, driver, node string, devices ...string) {
	ginkgo.GinkgoHelper()
	health := operations.Health{}
	for _, device := range devices {
		health[device] = operations.ReportedHealth{Status: operations.Unhealthy}
	}
	SetHealth(ctx, e, driver, node, health)
}

// SetHealth makes a driver on a node report the given health of devices, and that all
// others are healthy. At the end of the spec, all devices are healthy.
func SetHealth(ctx context.Context, e *env.Env, driver, node string, health operations.Health) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("making driver %s on node %s report this health, and all other devices as healthy: %v", driver, node, health))
	// If all answers are lost, the devices are unhealthy nevertheless.
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		setHealth(ctx, e, driver, node, operations.Health{})
	}, ginkgo.NodeTimeout(e.Timeouts.Deletion))
	setHealth(ctx, e, driver, node, health)
}

func setHealth(ctx context.Context, e *env.Env, driver, node string, health operations.Health) {
	ginkgo.GinkgoHelper()
	sendChange(ctx, e, driver, node, func(ctx context.Context, pod operations.Driver) error { return pod.SetHealth(ctx, driver, health) })
}
