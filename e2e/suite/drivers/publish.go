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

// substitute describes the only device of a driver whose devices are removed. A pool
// without any device would not show how a driver changes a pool.
const substitute = `devices:
- name: substitute
  composite: {}
`

// RemoveDevices makes a driver publish one other device on a node in place of all of its
// own, as after a change of the hardware. The function that it returns makes the driver
// publish its own devices again, which happens at the end of the spec at the latest.
func RemoveDevices(ctx context.Context, e *env.Env, driver, node string) (restore func(context.Context)) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("removing the devices of driver %s on node %s", driver, node))
	before := WaitForStatus(ctx, e, driver, node).Published
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		publish(ctx, e, driver, node, before)
	}, ginkgo.NodeTimeout(e.Timeouts.Deletion))
	publish(ctx, e, driver, node, operations.Published{Devices: operations.PublishedDevices{Description: substitute}})
	return func(ctx context.Context) {
		ginkgo.GinkgoHelper()
		ginkgo.By(fmt.Sprintf("restoring the devices of driver %s on node %s", driver, node))
		publish(ctx, e, driver, node, before)
	}
}
