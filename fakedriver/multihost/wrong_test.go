// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package multihost

import (
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/draconform/draconform/fakedriver/topology"
	"github.com/draconform/draconform/internal/fault"
)

// published returns the pool of the topology 4x4 as the controller publishes it
// with a fault.
func published(t *testing.T, fault *bool) *topology.Pool {
	t.Helper()
	*fault = true
	t.Cleanup(func() { *fault = false })
	described, err := topology.Load("4x4")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return misdescribed(described.Pool(described.Nodes()), described, described.Nodes())
}

func TestWrongControllerMisstatesShapes(t *testing.T) {
	shapes := func(pool *topology.Pool) map[string]int {
		count := map[string]int{}
		for _, device := range pool.Devices {
			count[*device.Attributes[topology.AttributeShape].StringValue]++
		}
		return count
	}
	g := NewWithT(t)
	g.Expect(shapes(published(t, new(bool)))).To(Equal(map[string]int{"2x2": 4, "2x4": 2, "4x4": 1}))
	g.Expect(shapes(published(t, &fault.MisstatesShapes))).To(Equal(map[string]int{"2x4": 6, "4x4": 1}))
}

func TestWrongControllerPublishesWithoutCounters(t *testing.T) {
	NewWithT(t).Expect(published(t, &fault.PublishesWithoutCounters).Devices).To(HaveEach(HaveField("ConsumesCounters", BeEmpty())))
}

// withoutHost1 returns the node values of each device of the topology 4x4 as the
// controller publishes it with a fault, without host 1.
func withoutHost1(t *testing.T, fault *bool) map[string][]string {
	t.Helper()
	*fault = true
	t.Cleanup(func() { *fault = false })
	g := NewWithT(t)
	described, err := topology.Load("4x4")
	g.Expect(err).NotTo(HaveOccurred())
	hosts := described.Nodes()
	delete(hosts.Values, 1)
	values := map[string][]string{}
	for _, device := range misdescribed(described.Pool(hosts), described, hosts).Devices {
		values[device.Name] = device.NodeSelector.NodeSelectorTerms[0].MatchExpressions[0].Values
	}
	return values
}

func TestWrongControllerOffersIncompleteDevices(t *testing.T) {
	g := NewWithT(t)
	g.Expect(withoutHost1(t, new(bool))).To(HaveKeyWithValue("tpu-2x4-0-0", BeEmpty()))
	wrong := withoutHost1(t, &fault.OffersIncompleteDevices)
	g.Expect(wrong).To(HaveKeyWithValue("tpu-2x4-0-0", []string{"0"}))
	g.Expect(wrong).To(HaveKeyWithValue("tpu-4x4-0-0", []string{"0", "2", "3"}))
	g.Expect(wrong).To(HaveKeyWithValue("tpu-2x2-0-2", BeEmpty()), "no host of it is left")
}

func TestWrongControllerWithdrawsDevicesInUse(t *testing.T) {
	wrong := withoutHost1(t, &fault.WithdrawsDevicesInUse)
	NewWithT(t).Expect(slices.Sorted(maps.Keys(wrong))).To(Equal([]string{"tpu-2x2-0-0", "tpu-2x2-2-0", "tpu-2x2-2-2", "tpu-2x4-2-0"}))
}

func TestWrongControllerKeepsFirstHosts(t *testing.T) {
	g := NewWithT(t)
	first := []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}}
	var l leader
	g.Expect(l.noticed(first)).To(Equal(first))
	g.Expect(l.noticed(nil)).To(BeEmpty())
	fault.KeepsFirstHosts = true
	defer func() { fault.KeepsFirstHosts = false }()
	g.Expect(l.noticed(first)).To(Equal(first))
	g.Expect(l.noticed(nil)).To(Equal(first))
}

func TestWrongControllerLeavesFormerPools(t *testing.T) {
	g := NewWithT(t)
	described, err := topology.Load("4x4")
	g.Expect(err).NotTo(HaveOccurred())
	content := func(device string) layout {
		return layout{{Devices: []resourceapi.Device{{Name: device}}}}
	}
	p := poolWriter{config: Config{Topology: described}}
	pools := func(wanted layout) map[string]resourceslice.Pool {
		defer func() { p.layout = wanted }()
		return p.resources(wanted, nil).Pools
	}
	fault.LeavesFormerPools = true
	defer func() { fault.LeavesFormerPools = false }()
	g.Expect(pools(content("a"))).To(HaveLen(1))
	for _, device := range []string{"b", "a"} {
		got := pools(content(device))
		g.Expect(got).To(HaveLen(2))
		g.Expect(got["4x4-former"].Slices[0].Devices[0].Name).To(Equal("a"))
	}
}
