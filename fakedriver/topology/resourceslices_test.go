// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/dynamic-resource-allocation/resourceslice"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/fakedriver/publish"
	"github.com/draconform/draconform/fakedriver/topology"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func layout(t *testing.T, of *topology.Topology, form publish.Form) []resourceslice.Slice {
	t.Helper()
	out, err := pool(of).Slices(form)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return out
}

func TestGolden(t *testing.T) {
	for _, name := range topology.Names() {
		for release, form := range map[string]publish.Form{"1.34": publish.CountersWithDevices, "1.37": publish.SeparateCounters} {
			t.Run(name+" for "+release, func(t *testing.T) {
				g := NewWithT(t)
				var got strings.Builder
				for _, object := range publish.Objects("tpu.draconform.dev", name, layout(t, load(t, name), form)) {
					document, err := yaml.Marshal(object)
					g.Expect(err).NotTo(HaveOccurred())
					got.WriteString("---\n" + string(document))
				}
				golden := filepath.Join("testdata", name+"-"+release+".yaml")
				if *update {
					g.Expect(os.WriteFile(golden, []byte(got.String()), 0o644)).To(Succeed())
				}
				want, err := os.ReadFile(golden)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(got.String()).To(Equal(string(want)), "if the change is intended: go test ./fakedriver/topology -update")
			})
		}
	}
}

func TestSlicesKeepTheLimitsOfTheAPI(t *testing.T) {
	for _, described := range everyTopology(t) {
		t.Run(described.Name(), func(t *testing.T) {
			g := NewWithT(t)
			slices := layout(t, described, publish.SeparateCounters)
			devices := 0
			for _, slice := range slices {
				g.Expect(slice.PerDeviceNodeSelection).To(HaveValue(BeTrue()), "a slice needs a node selection")
				g.Expect(slice.SharedCounters == nil).NotTo(Equal(slice.Devices == nil), "counters and devices in one slice")
				g.Expect(len(slice.SharedCounters)).To(BeNumerically("<=", resourceapi.ResourceSliceMaxCounterSets))
				g.Expect(len(slice.Devices)).To(BeNumerically("<=", resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures))
				for _, set := range slice.SharedCounters {
					checkCounters(g, set.Name, set.Counters)
				}
				for _, device := range slice.Devices {
					checkDevice(g, device)
					devices++
				}
			}
			g.Expect(devices).To(Equal(len(pool(described).Devices)))
			for _, object := range publish.Objects("tpu.example.com", described.Name(), slices) {
				g.Expect(object.Spec.Pool.ResourceSliceCount).To(BeNumerically("==", len(slices)))
			}
		})
	}
}

func checkDevice(g *WithT, device resourceapi.Device) {
	g.Expect(validation.IsDNS1123Label(device.Name)).To(BeEmpty())
	g.Expect(len(device.Attributes) + len(device.Capacity)).To(BeNumerically("<=", resourceapi.ResourceSliceMaxAttributesAndCapacitiesPerDevice))
	g.Expect(len(device.ConsumesCounters)).To(And(BeNumerically(">", 0), BeNumerically("<=", resourceapi.ResourceSliceMaxDeviceCounterConsumptionsPerDevice)))
	for _, consumption := range device.ConsumesCounters {
		checkCounters(g, consumption.CounterSet, consumption.Counters)
	}
	for name, attribute := range device.Attributes {
		g.Expect(validation.IsCIdentifier(string(name))).To(BeEmpty())
		if attribute.StringValue != nil {
			g.Expect(len(*attribute.StringValue)).To(BeNumerically("<=", resourceapi.DeviceAttributeMaxValueLength))
		}
	}
}

func checkCounters(g *WithT, set string, counters map[string]resourceapi.Counter) {
	g.Expect(validation.IsDNS1123Label(set)).To(BeEmpty())
	g.Expect(len(counters)).To(And(BeNumerically(">", 0), BeNumerically("<=", resourceapi.ResourceSliceMaxCountersPerCounterSet)))
	for name, counter := range counters {
		g.Expect(validation.IsDNS1123Label(name)).To(BeEmpty())
		g.Expect(counter.Value.Sign()).To(Equal(1), name)
	}
}

func TestLargePoolsAreSplit(t *testing.T) {
	g := NewWithT(t)
	// The pool has 64 single hosts and 31 larger slices, on two counter sets.
	described := parse(t, pod)
	g.Expect(pool(described).Devices).To(HaveLen(64 + 16 + 8 + 4 + 2 + 1))
	slices := layout(t, described, publish.SeparateCounters)
	g.Expect(slices).To(HaveLen(3))
	g.Expect(slices[0].SharedCounters).To(HaveLen(2))
	g.Expect(slices[1].Devices).To(HaveLen(64))
	g.Expect(slices[2].Devices).To(HaveLen(31))

	// Nine counter sets do not fit into one slice.
	slices = layout(t, parse(t, "{name: rows, grid: 9x32, hosts: {chips: 1x1, label: host}, slices: [{shape: 1x1}, {shape: 1x32}]}"), publish.SeparateCounters)
	g.Expect(slices[0].SharedCounters).To(HaveLen(8))
	g.Expect(slices[1].SharedCounters).To(HaveLen(1))
}

func TestNoSlicesWithoutCounters(t *testing.T) {
	NewWithT(t).Expect(layout(t, load(t, "8x8"), publish.NoCounters)).To(BeEmpty())
}

// In Kubernetes 1.34, counters and the devices that consume them must be in one
// ResourceSlice, which can have at most 32 counters.
func TestSlicesForKubernetes134(t *testing.T) {
	g := NewWithT(t)
	slices := layout(t, load(t, "8x8"), publish.CountersWithDevices)
	g.Expect(slices).To(HaveLen(1))
	g.Expect(slices[0].Devices).To(HaveLen(31))
	g.Expect(slices[0].SharedCounters).To(HaveLen(1))
	g.Expect(slices[0].SharedCounters[0].Counters).To(HaveLen(16))

	slices = layout(t, parse(t, "{name: rows, grid: 2x32, hosts: {chips: 1x1, label: host}, slices: [{shape: 1x1}, {shape: 1x32}]}"), publish.CountersWithDevices)
	g.Expect(slices).To(HaveLen(2))
	for _, slice := range slices {
		for _, device := range slice.Devices {
			g.Expect(device.ConsumesCounters).To(HaveLen(1))
			g.Expect(device.ConsumesCounters[0].CounterSet).To(Equal(slice.SharedCounters[0].Name))
		}
	}
}

func TestSlicesReportExceededLimits(t *testing.T) {
	_, err := topology.Parse([]byte("name: large\ngrid: 65x1\nhosts:\n  chips: 1x1\n  label: host\nslices:\n- shape: 1x1\n- shape: 65x1\n"))
	NewWithT(t).Expect(err).To(MatchError("line 8: slice 65x1 at [0,0]: consumes 65 counters of 3 counter sets, the API allows a device 2 counter sets with 32 counters each"))

	for _, test := range []struct {
		name, description string
		form              publish.Form
		message           string
	}{
		{"counter sets", singleChips, publish.CountersWithDevices,
			"device tpu-8x8-0-0 consumes from 2 counter sets, Kubernetes 1.34 requires them in one slice and allows 32 counters there"},
		{"devices", "{name: test, grid: 1x32, hosts: {chips: 1x1, label: host}, slices: [{shape: 1x1}, {shape: 1x2, step: 1x1}, {shape: 1x3, step: 1x1}, {shape: 1x4, step: 1x1}, {shape: 1x5, step: 1x1}]}",
			publish.CountersWithDevices, "150 devices consume from counter set tpus-0, Kubernetes 1.34 requires them in one slice and allows 128 there"},
		{"consumed counters", "{name: test, grid: 1x32, hosts: {chips: 1x1, label: host}, slices: [{shape: 1x1}, {shape: 1x16, step: 1x1}, {shape: 1x15, step: 1x1}, {shape: 1x14, step: 1x1}, {shape: 1x13, step: 1x1}]}",
			publish.CountersWithDevices, "devices consume 1100 counters from counter set tpus-0, Kubernetes 1.34 allows 1024 in a slice"},
		{"bytes", "{name: test, grid: 8x512, hosts: {chips: 1x1, label: host, prefix: " + strings.Repeat("a", 57) + "}, slices: [{shape: 8x512}, {shape: 7x512}, {shape: 6x512}, {shape: 5x512}, {shape: 4x512}, {shape: 3x512}, {shape: 2x512}, {shape: 1x512}]}",
			publish.SeparateCounters, "bytes, etcd accepts 1556480"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := pool(parse(t, test.description)).Slices(test.form)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
}

func BenchmarkPool8x8(b *testing.B) {
	described, err := topology.Load("8x8")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := described.Pool(described.Nodes()).Slices(publish.SeparateCounters); err != nil {
			b.Fatal(err)
		}
	}
}
