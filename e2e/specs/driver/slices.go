// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// expectSlicesStay runs two pods with devices on one node and deletes them, and
// asserts that what the driver publishes about their devices stays the same.
func expectSlicesStay(ctx context.Context, e *env.Env, of subject.Device) {
	ginkgo.GinkgoHelper()
	device := deviceOnNode{of, devices.WaitForNodeWithDevices(ctx, e, of.Driver)}
	before := devices.WaitForCompletePools(ctx, e, of.Driver)
	first := device.start(ctx, e, "first")
	used := pods.WaitForRunning(ctx, e, first)
	second := device.start(ctx, e, "second")
	used = append(used, pods.WaitForRunning(ctx, e, second)...)
	devices.WaitForSameDevices(ctx, e, of.Driver, before, used)
	pods.WaitForRunning(ctx, e, first)
	pods.DeleteWithClaim(ctx, e, "first", first)
	pods.DeleteWithClaim(ctx, e, "second", second)
	devices.WaitForSameDevices(ctx, e, of.Driver, before, used)
}
