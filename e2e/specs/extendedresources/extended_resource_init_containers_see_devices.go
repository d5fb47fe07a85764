// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// extendedResourceInitContainersSeeDevices creates a DeviceClass for exclusive devices
// with the name of an extended resource, and a pod with two init containers and a
// container. One of the init containers does not request the resource.
var extendedResourceInitContainersSeeDevices = suite.Spec{
	ID:           "extended-resource-init-containers-see-devices",
	Description:  "An init container sees the devices for its extended resources, and none if it requests none.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Kubelet,
	Needs:        []env.Need{env.NeedsDeviceClasses},
	Kinds:        []subject.Kind{subject.KindExclusive},
	Sees:         subject.Identified,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"5004-init-containers-get-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		one := amounts{claims.CreateExtendedResource(ctx, e, "device", device): max(device.Count, 1)}
		pods.CreateWithResources(ctx, e, "pod",
			pods.ResourceUser{Container: "init-user", Init: true, Amounts: one}, pods.ResourceUser{Container: "init-bystander", Init: true},
			pods.ResourceUser{Container: pods.MainContainer, Amounts: one})
		pods.WaitForRunning(ctx, e, "pod")
		own := pods.GetExtendedDevices(ctx, e, "pod", "init-user")
		gomega.Expect(own).NotTo(gomega.BeEmpty(), "the init container of pod pod should have devices")
		pods.ExpectContainerDevices(ctx, e, "pod", "init-user", own)
		pods.ExpectContainerDevices(ctx, e, "pod", "init-bystander", nil)
	},
}
