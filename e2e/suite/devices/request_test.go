// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
)

// Devices that can only be requested in groups are requested in multiples.
func TestCount(t *testing.T) {
	g := NewWithT(t)
	one, group := subject.Device{Class: "one"}, subject.Device{Class: "group", Count: 8}
	claim := devices.NewDeviceClaim([]devices.Request{
		{Name: "a", Device: one}, {Name: "b", Device: one, Count: 2}, {Name: "c", Device: group}, {Name: "d", Device: group, Count: 2},
		{Name: "e", FirstAvailable: []devices.SubRequest{{Name: "x", Device: group, All: true}, {Name: "y", Device: group}}},
	})
	var counts []int64
	for _, r := range claim.Requests {
		if r.Exactly != nil {
			counts = append(counts, r.Exactly.Count)
		}
		for _, s := range r.FirstAvailable {
			counts = append(counts, s.Count)
		}
	}
	g.Expect(counts).To(Equal([]int64{0, 2, 8, 16, 0, 8}))
}

// The configuration of a device applies to its request only.
func TestConfig(t *testing.T) {
	g := NewWithT(t)
	config := resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: "gpu.example.com"}}
	configured := subject.Device{Class: "gpu", Config: []resourceapi.DeviceConfiguration{config}}
	claim := devices.NewDeviceClaim([]devices.Request{
		{Name: "a", Device: subject.Device{Class: "gpu"}}, {Name: "b", Device: configured},
		{Name: "c", FirstAvailable: []devices.SubRequest{{Name: "x", Device: configured}}},
	})
	g.Expect(claim.Config).To(Equal([]resourceapi.DeviceClaimConfiguration{
		{Requests: []string{"b"}, DeviceConfiguration: config}, {Requests: []string{"c/x"}, DeviceConfiguration: config},
	}))
}
