// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// The needs of specs about the status of devices in their claims.
var (
	statusFeatures     = []features.Feature{features.Core, features.DeviceStatus}
	statusCapabilities = []subject.Capability{subject.DeviceStatus}
)

// waitForStatus returns the device statuses of a claim. Without any of the
// driver, the driver lacks the capability.
func (d deviceOnNode) waitForStatus(ctx context.Context, e *env.Env, claim string) []resourceapi.AllocatedDeviceStatus {
	ginkgo.GinkgoHelper()
	reported := claims.WaitForDeviceStatus(ctx, e, claim, d.Driver)
	if !slices.ContainsFunc(reported, func(s resourceapi.AllocatedDeviceStatus) bool { return s.Driver == d.Driver }) {
		env.ExpectCapability(e, d.Driver, subject.DeviceStatus, fmt.Sprintf("claim %s of a running pod got no status of a device in %s", claim, e.Timeouts.Unschedulable))
	}
	return reported
}
