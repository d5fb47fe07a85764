// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// extendedResourcesOfOneContainer creates two DeviceClasses for exclusive devices with the names
// of different extended resources, and a pod whose container requests both. Then it creates one
// whose container requests one of the resources and uses a claim for such devices.
var extendedResourcesOfOneContainer = suite.Spec{
	ID:           "extended-resources-of-one-container",
	Description:  "A container sees the devices for each of its extended resources, and those of its claim in addition.",
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
	Requirements: []string{"5004-containers-get-devices", "5004-with-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		count := max(device.Count, 1)
		first, second := claims.CreateExtendedResource(ctx, e, "first", device), claims.CreateExtendedResource(ctx, e, "second", device)
		pods.CreateWithResources(ctx, e, "two", pods.ResourceUser{Container: pods.MainContainer, Amounts: amounts{first: count, second: count}})
		pods.WaitForRunning(ctx, e, "two")
		own := pods.GetExtendedDevices(ctx, e, "two", pods.MainContainer)
		gomega.Expect(own).To(gomega.HaveLen(int(2*count)), "the container of pod two should have devices for both of its extended resources")
		pods.ExpectContainerDevices(ctx, e, "two", pods.MainContainer, own)
		pods.Delete(ctx, e, "two")

		claim, err := claims.Create(ctx, e, "claim", devices.NewDeviceClaim(fixture.One(device)))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		_, err = pods.Create(ctx, e, "both", pods.Options{Change: func(pod *corev1.PodSpec) {
			pods.RequestResources(&pod.Containers[0], amounts{first: count})
		}}, claim)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.WaitForRunning(ctx, e, "both") // It asserts that the container sees all of its devices.
	},
}
