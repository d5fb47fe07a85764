// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// adminAccessContainerSeesDevice runs a pod with a device, and one with admin access
// to such a device in another namespace. Which one this is, also whether it is the
// first pod's, is up to the scheduler. Then it deletes the first pod.
var adminAccessContainerSeesDevice = suite.Spec{
	ID:           "admin-access-container-sees-device",
	Description:  "A container of a claim with admin access sees the device of its claim. A container that uses such a device keeps running meanwhile, and the one with admin access does so when the other pod and its claim are deleted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.AdminAccess},
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: []subject.Capability{subject.AdminAccess},
	Sees:         subject.Identified,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsOwnNamespace},
	Requirements: []string{"5018-containers-get-devices", "5018-prepared-regardless"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user := device.start(ctx, e, "user")
		pods.WaitForRunning(ctx, e, user)
		container := pods.GetContainer(ctx, e, user)

		admins := namespaces.CreateForAdmins(ctx, e)
		claim := devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: device.Device}})
		pods.CreateWithClaimOnNode(ctx, admins, "monitor", device.node, devices.WithAdminAccess(claim))
		env.ExpectCapability(e, device.Driver, subject.AdminAccess, whyRefused(ctx, admins, device.Driver, "monitor"))
		pods.WaitForRunning(ctx, admins, "monitor")
		monitor := pods.GetContainer(ctx, admins, "monitor")
		pods.ExpectNotRestarted(ctx, e, container, "a claim with admin access")

		pods.DeleteWithClaim(ctx, e, "user", user)
		pods.ExpectNotRestarted(ctx, admins, monitor, "the end of a claim without admin access")
	},
}

// whyRefused returns why a pod with admin access does not run on its node in time, or an empty
// text if it does. A driver need not give access to devices that are in use. Of a driver that
// has to, by its file, the usual wait tells more.
func whyRefused(ctx context.Context, e *env.Env, driver, pod string) string {
	ginkgo.GinkgoHelper()
	if e.Subject.Capabilities[driver][subject.AdminAccess].Answer == driverfile.Yes {
		return ""
	}
	if why := pods.WhyNotStarted(ctx, e, pod); why != "" {
		return "pod " + pod + " with admin access was not started: " + why
	}
	return ""
}
