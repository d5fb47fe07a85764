// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package inputs_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/testkit/inputs"
)

// Realistic inputs respect the limits of the API server.
func TestInputsAreWithinTheLimits(t *testing.T) {
	for _, input := range slices.Concat(inputs.NoFit(), inputs.Everyday(), inputs.ManyNodes()) {
		t.Run(input.Name, func(t *testing.T) {
			g := NewWithT(t)
			p := input.Build()
			names := map[string]bool{}
			for _, slice := range p.Slices {
				g.Expect(names[slice.Name]).To(BeFalse(), slice.Name)
				names[slice.Name] = true
				checkSlice(g, slice)
			}
			for _, claim := range p.Claims {
				devices := claim.Spec.Devices
				g.Expect(len(devices.Requests)).To(BeNumerically("<=", resourceapi.DeviceRequestsMaxSize))
				for _, request := range devices.Requests {
					g.Expect(len(request.FirstAvailable)).To(BeNumerically("<=", resourceapi.FirstAvailableDeviceRequestMaxSize))
				}
			}
		})
	}
}

func checkSlice(g *WithT, slice *resourceapi.ResourceSlice) {
	most := resourceapi.ResourceSliceMaxDevices
	g.Expect(len(slice.Spec.SharedCounters)).To(BeNumerically("<=", resourceapi.ResourceSliceMaxCounterSets))
	for _, set := range slice.Spec.SharedCounters {
		g.Expect(len(set.Counters)).To(BeNumerically("<=", resourceapi.ResourceSliceMaxCountersPerCounterSet))
	}
	for _, device := range slice.Spec.Devices {
		if len(device.ConsumesCounters) > 0 || len(device.Attributes["match"].StringValues) > 0 {
			most = resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures
		}
		g.Expect(len(device.ConsumesCounters)).To(BeNumerically("<=", resourceapi.ResourceSliceMaxDeviceCounterConsumptionsPerDevice))
	}
	g.Expect(len(slice.Spec.Devices)).To(BeNumerically("<=", most), slice.Name)
	if len(slice.Spec.SharedCounters) > 0 {
		g.Expect(slice.Spec.Devices).To(BeEmpty(), slice.Name)
	}
}
