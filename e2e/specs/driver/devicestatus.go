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
	"github.com/draconform/draconform/e2e/suite/pods"
)

// The needs of specs about the status of devices in their claims.
var (
	statusFeatures     = []features.Feature{features.Core, features.DeviceStatus}
	statusCapabilities = []subject.Capability{subject.DeviceStatus}
)

// waitForStatus returns the device statuses of the claim of a running pod.
// Without any of the driver, the driver lacks the capability. Whether it reports
// health was then to be seen for as long.
func (d deviceOnNode) waitForStatus(ctx context.Context, e *env.Env, pod, claim string) []resourceapi.AllocatedDeviceStatus {
	ginkgo.GinkgoHelper()
	reported := claims.WaitForDeviceStatus(ctx, e, claim, d.Driver)
	missing := missingStatus(e, d.Driver, claim, reported)
	if missing != "" {
		env.NoteCapability(e, d.Driver, subject.Health, missingHealth(pod, pods.GetHealth(ctx, e, pod)))
	}
	env.FindOutCapability(e, d.Driver, subject.DeviceStatus, missing)
	return reported
}

// missingStatus states that a claim got no status of a device of a driver. It is
// empty if it got one.
func missingStatus(e *env.Env, driver, claim string, reported []resourceapi.AllocatedDeviceStatus) string {
	if slices.ContainsFunc(reported, func(s resourceapi.AllocatedDeviceStatus) bool { return s.Driver == driver }) {
		return ""
	}
	return fmt.Sprintf("claim %s of a running pod got no status of a device in %s", claim, e.Patience(driver, subject.DeviceStatus))
}
