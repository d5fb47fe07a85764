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

// extendedResourceContainersSeeDevices creates a DeviceClass for exclusive devices
// with the name of an extended resource, and a pod with three containers. Two of
// them request the resource.
var extendedResourceContainersSeeDevices = suite.Spec{
	ID:           "extended-resource-containers-see-devices",
	Description:  "Each container sees the devices for its extended resources, and not those for other containers of the pod.",
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
	Requirements: []string{"5004-containers-get-devices", "5004-not-of-the-node"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		one := amounts{claims.CreateExtendedResource(ctx, e, "device", device): max(device.Count, 1)}
		pods.CreateWithResources(ctx, e, "pod",
			pods.ResourceUser{Container: pods.MainContainer, Amounts: one}, pods.ResourceUser{Container: "other", Amounts: one}, pods.ResourceUser{Container: "none"})
		pods.WaitForRunning(ctx, e, "pod")
		for _, container := range []string{pods.MainContainer, "other"} {
			own := pods.GetExtendedDevices(ctx, e, "pod", container)
			gomega.Expect(own).NotTo(gomega.BeEmpty(), "container %s of pod pod should have devices", container)
			pods.ExpectContainerDevices(ctx, e, "pod", container, own)
		}
		pods.ExpectContainerDevices(ctx, e, "pod", "none", nil)
	},
}
