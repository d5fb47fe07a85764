// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// withAdminAccess returns a claim for devices to which all of its requests have
// admin access.
func withAdminAccess(requests []devices.Request) resourceapi.DeviceClaim {
	return devices.WithAdminAccess(devices.NewDeviceClaim(requests))
}

// createMonitors creates pods, each with a claim of the same name for admin
// access to the device with a name.
func createMonitors(ctx context.Context, e *env.Env, sim *simulated.Nodes, device string, podNames ...string) {
	ginkgo.GinkgoHelper()
	for _, pod := range podNames {
		pods.CreateWithClaim(ctx, e, pod, withAdminAccess(fixture.RequestFor(sim, device)))
	}
}

// createUsers creates a pod for each of several devices, with a claim for this
// device. All have the same name. It waits until the pods are scheduled.
func createUsers(ctx context.Context, e *env.Env, sim *simulated.Nodes, deviceNames ...string) {
	ginkgo.GinkgoHelper()
	for _, name := range deviceNames {
		pods.CreateWithRequests(ctx, e, name, fixture.RequestFor(sim, name))
	}
	pods.WaitForScheduled(ctx, e, deviceNames...)
}
