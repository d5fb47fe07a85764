// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package publish_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/model"
	"github.com/draconform/draconform/fakedriver/publish"
)

func inventory(t *testing.T, gpus int) *describe.Inventory {
	t.Helper()
	gpu, err := model.Load("a100-40gb")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return gpu.Inventory(node, gpus)
}

func TestFormOf(t *testing.T) {
	g := NewWithT(t)
	for release, want := range map[string]publish.Form{
		"1.34":    publish.CountersWithDevices,
		"v1.34.4": publish.CountersWithDevices,
		"1.35":    publish.SeparateCounters,
		"v1.37.1": publish.SeparateCounters,
		"2.0":     publish.SeparateCounters,
	} {
		g.Expect(publish.FormOf(release)).To(Equal(want), release)
	}
	_, err := publish.FormOf("1.33")
	g.Expect(err).To(MatchError(ContainSubstring("1.33")))
	_, err = publish.FormOf("latest")
	g.Expect(err).To(HaveOccurred())
}

// Ten GPUs exceed every limit of a slice.
func TestSlicesKeepTheLimitsOfTheAPI(t *testing.T) {
	for _, form := range []publish.Form{publish.SeparateCounters, publish.CountersWithDevices, publish.NoCounters} {
		t.Run(form.String(), func(t *testing.T) {
			g := NewWithT(t)
			slices := publish.Slices(inventory(t, 10), form)
			devices := map[string]bool{}
			sets := map[string]bool{}
			for _, slice := range slices {
				checkSlice(g, slice, form)
				for _, set := range slice.SharedCounters {
					g.Expect(sets).NotTo(HaveKey(set.Name))
					sets[set.Name] = true
				}
				for _, device := range slice.Devices {
					g.Expect(devices).NotTo(HaveKey(device.Name))
					devices[device.Name] = true
					checkDevice(g, device)
				}
			}
			if form == publish.NoCounters {
				g.Expect(sets).To(BeEmpty())
				g.Expect(devices).To(HaveLen(10))
				return
			}
			g.Expect(sets).To(HaveLen(10))
			g.Expect(devices).To(HaveLen(260))
		})
	}
}

// checkSlice uses the limits of the API types of Kubernetes 1.34. The API types
// of later releases do not contain them.
func checkSlice(g *WithT, slice resourceslice.Slice, form publish.Form) {
	var counters, consumed int
	for _, set := range slice.SharedCounters {
		g.Expect(validation.IsDNS1123Label(set.Name)).To(BeEmpty())
		g.Expect(len(set.Counters)).To(BeNumerically("<=", resourceapi.ResourceSliceMaxCountersPerCounterSet))
		counters += len(set.Counters)
		for name := range set.Counters {
			g.Expect(validation.IsDNS1123Label(name)).To(BeEmpty())
		}
	}
	for _, device := range slice.Devices {
		for _, consumption := range device.ConsumesCounters {
			consumed += len(consumption.Counters)
		}
	}
	if form == publish.CountersWithDevices {
		g.Expect(counters).To(BeNumerically("<=", 32))
		g.Expect(consumed).To(BeNumerically("<=", 1024))
		g.Expect(len(slice.Devices)).To(BeNumerically("<=", 128))
		return
	}
	g.Expect(slice.SharedCounters == nil || slice.Devices == nil).To(BeTrue(), "counters and devices in one slice")
	g.Expect(len(slice.SharedCounters)).To(BeNumerically("<=", resourceapi.ResourceSliceMaxCounterSets))
	g.Expect(len(slice.Devices)).To(BeNumerically("<=", resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures))
}

func checkDevice(g *WithT, device resourceapi.Device) {
	g.Expect(validation.IsDNS1123Label(device.Name)).To(BeEmpty())
	g.Expect(len(device.Attributes) + len(device.Capacity)).To(BeNumerically("<=", resourceapi.ResourceSliceMaxAttributesAndCapacitiesPerDevice))
	g.Expect(len(device.ConsumesCounters)).To(BeNumerically("<=", resourceapi.ResourceSliceMaxDeviceCounterConsumptionsPerDevice))
	for name, attribute := range device.Attributes {
		checkIdentifier(g, name)
		if attribute.StringValue != nil {
			g.Expect(len(*attribute.StringValue)).To(BeNumerically("<=", resourceapi.DeviceAttributeMaxValueLength))
		}
	}
	for name := range device.Capacity {
		checkIdentifier(g, name)
	}
	for _, consumption := range device.ConsumesCounters {
		g.Expect(len(consumption.Counters)).To(BeNumerically("<=", resourceapi.ResourceSliceMaxCountersPerDeviceCounterConsumption))
	}
}

func checkIdentifier(g *WithT, name resourceapi.QualifiedName) {
	g.Expect(validation.IsCIdentifier(string(name))).To(BeEmpty(), string(name))
	g.Expect(len(name)).To(BeNumerically("<=", resourceapi.DeviceMaxIDLength))
}

func TestEveryConsumedCounterIsDefined(t *testing.T) {
	g := NewWithT(t)
	for _, slice := range publish.Slices(inventory(t, 3), publish.CountersWithDevices) {
		g.Expect(slice.SharedCounters).To(HaveLen(1))
		for _, device := range slice.Devices {
			for _, consumption := range device.ConsumesCounters {
				g.Expect(consumption.CounterSet).To(Equal(slice.SharedCounters[0].Name))
				for counter := range consumption.Counters {
					g.Expect(slice.SharedCounters[0].Counters).To(HaveKey(counter))
				}
			}
		}
	}
}
