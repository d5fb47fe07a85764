// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/draconform/draconform/allocator/lint"
	"github.com/draconform/draconform/allocator/state"
)

// slicesOf returns the objects of a pool as the plugin publishes them.
func slicesOf(node string, pool resourceslice.Pool) []*resourceapi.ResourceSlice {
	var objects []*resourceapi.ResourceSlice
	for i, slice := range pool.Slices {
		objects = append(objects, &resourceapi.ResourceSlice{
			TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceSlice"},
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("slice-%d", i)},
			Spec: resourceapi.ResourceSliceSpec{
				Driver: driverName, NodeName: &node, SharedCounters: slice.SharedCounters, Devices: slice.Devices,
				Pool: resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: int64(len(pool.Slices))},
			},
		})
	}
	return objects
}

func TestPublishedDevicesAreValid(t *testing.T) {
	g := NewWithT(t)
	const node = "worker"
	pools := published(node, false).Pools
	g.Expect(pools).To(HaveLen(1))
	findings, err := lint.Check(t.Context(), &state.Objects{Slices: slicesOf(node, pools[node])})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(findings).To(BeEmpty())
}

// In Kubernetes 1.34, counters and the devices that consume them are in one
// slice.
func TestPublishedTogetherHasTheSameDevices(t *testing.T) {
	g := NewWithT(t)
	apart, together := published("worker", false).Pools["worker"].Slices, published("worker", true).Pools["worker"].Slices
	g.Expect(together).To(HaveLen(1))
	g.Expect(together[0].SharedCounters).To(Equal(apart[0].SharedCounters))
	g.Expect(together[0].Devices).To(Equal(apart[1].Devices))
	g.Expect(apart[0].Devices).To(BeNil(), "a slice has either counters or devices")
	g.Expect(apart[1].SharedCounters).To(BeNil(), "a slice has either counters or devices")
}

// Four quarters or two halves use a board completely, as the whole board does.
func TestPartitionsOfOneKindUseTheWholeBoard(t *testing.T) {
	g := NewWithT(t)
	all := published("worker", true).Pools["worker"].Slices[0]
	for _, p := range partitions {
		used := map[string]int64{}
		number := 0
		for _, device := range all.Devices {
			if kind := device.Attributes["kind"].StringValue; *kind != p.kind {
				continue
			}
			number++
			for name, counter := range device.ConsumesCounters[0].Counters {
				used[device.ConsumesCounters[0].CounterSet+"/"+name] += counter.Value.Value()
			}
		}
		g.Expect(number).To(BeEquivalentTo(boards*cores/p.cores), p.kind)
		for _, set := range all.SharedCounters {
			for name, counter := range set.Counters {
				g.Expect(used[set.Name+"/"+name]).To(Equal(counter.Value.Value()), "%s of all partitions %s of %s", name, p.kind, set.Name)
			}
		}
	}
}

// A container sees the name of a pool and of a device at most, so that serial
// numbers identify boards and links of the whole cluster.
func TestSerialNumbersAreUniqueInTheCluster(t *testing.T) {
	g := NewWithT(t)
	boardsOf := map[string]map[string]bool{}
	for _, node := range []string{"one", "other"} {
		for _, device := range published(node, true).Pools[node].Slices[0].Devices {
			set := node + "/" + device.Name
			attribute := device.Attributes["serial"]
			if len(device.ConsumesCounters) > 0 {
				set, attribute = node+"/"+device.ConsumesCounters[0].CounterSet, device.Attributes["board"]
			}
			if boardsOf[*attribute.StringValue] == nil {
				boardsOf[*attribute.StringValue] = map[string]bool{}
			}
			boardsOf[*attribute.StringValue][set] = true
		}
	}
	g.Expect(boardsOf).To(HaveLen(2*(boards+links)), "the same for all devices of a board")
	for serial, of := range boardsOf {
		g.Expect(of).To(HaveLen(1), "serial number %s belongs to one board or link", serial)
	}
	g.Expect(published("one", true)).To(Equal(published("one", true)), "the same after a restart")
}
