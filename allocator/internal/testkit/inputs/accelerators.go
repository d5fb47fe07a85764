// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package inputs

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// profile is a row of the table of MIG profiles in KEP-4815.
type profile struct {
	name, memory    string
	processors      int
	slices, engines int
	places          []int // the memory slices where it may begin
}

// a100 are the profiles of an A100 with 40 GB, in ascending size, so that first
// fit keeps the large ones free.
var a100 = []profile{
	{"1g.5gb", "4864Mi", 14, 1, 1, []int{0, 1, 2, 3, 4, 5, 6}},
	{"1g.10gb", "9856Mi", 14, 2, 1, []int{0, 2, 4, 6}},
	{"2g.10gb", "9856Mi", 28, 2, 2, []int{0, 2, 4}},
	{"3g.20gb", "19968Mi", 42, 4, 3, []int{0, 4}},
	{"4g.20gb", "19968Mi", 56, 4, 4, []int{0}},
	{"7g.40gb", "40192Mi", 98, 8, 7, []int{0}},
}

// a100s returns the partitions of GPUs, and a counter set for each GPU.
func a100s(gpus int) ([]resourceapi.CounterSet, []resourceapi.Device) {
	var sets []resourceapi.CounterSet
	var list []resourceapi.Device
	for gpu := range gpus {
		name := fmt.Sprintf("gpu-%d", gpu)
		whole := profile{memory: "40Gi", processors: 98, slices: 8, engines: 7}
		sets = append(sets, counterSet(name, whole.counters(0)))
		for _, p := range a100 {
			for _, place := range p.places {
				list = append(list, resourceapi.Device{
					Name: fmt.Sprintf("%s-%s-%d", name, p.id(), place),
					Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
						"profile": str(p.name), "parentUUID": str(name), "type": str("mig"),
					},
					ConsumesCounters: []resourceapi.DeviceCounterConsumption{consumption(name, p.counters(place))},
				})
			}
		}
	}
	return sets, list
}

// counters returns what the profile consumes of its GPU when it begins at the
// given memory slice.
func (p profile) counters(place int) map[string]string {
	counters := map[string]string{
		"memory": p.memory, "multiprocessors": fmt.Sprint(p.processors), "copy-engines": fmt.Sprint(p.engines),
	}
	for i := range p.slices {
		counters[fmt.Sprintf("memory-slice-%d", place+i)] = "1"
	}
	return counters
}

// id returns the name of the profile in a form that is valid in the name of a
// device.
func (p profile) id() string {
	id := []byte(p.name)
	for i := range id {
		if id[i] == '.' {
			id[i] = '-'
		}
	}
	return string(id)
}

func profileIs(name string) string {
	return fmt.Sprintf(`device.attributes[%q].profile == %q`, Driver, name)
}

// migClaim is the claim of KEP-4815 for four partitions of one GPU. The node
// has eight GPUs, and the first one is partly allocated.
func migClaim() *problem.Problem {
	sets, list := a100s(8)
	c := claim("c", request("mig-1g-5gb-0", 1, profileIs("1g.5gb")), request("mig-1g-5gb-1", 1, profileIs("1g.5gb")),
		request("mig-2g-10gb", 1, profileIs("2g.10gb")), request("mig-3g-20gb", 1, profileIs("3g.20gb")))
	p := on(1, partitioned(nodeName(0), "gpus", sets, list), matching(c, Driver+"/parentUUID"))
	p.Allocated = []*resourceapi.ResourceClaim{holding("in-use", "gpus", "gpu-0-3g-20gb-4")}
	return p
}

// The topology of KEP-4815: 8x8 chips, four on each of 16 hosts.
const (
	gridSize  = 8
	hostChips = 2 // rows and columns of a host
	gridHosts = gridSize / hostChips
	hostSet   = "hosts"
)

// tpuShapes are the slices of the grid, in rows and columns, in ascending size.
var tpuShapes = [][2]int{{2, 2}, {2, 4}, {4, 4}, {4, 8}, {8, 8}}

// tpuClaim requests a slice of the grid on any of its nodes.
func tpuClaim(shape string) *problem.Problem {
	hosts := map[string]string{}
	for host := range gridHosts * gridHosts {
		hosts[fmt.Sprintf("host-%d", host)] = "4"
	}
	counters := &resourceapi.ResourceSlice{}
	counters.Name = "tpu-counters"
	counters.Spec.Driver, counters.Spec.AllNodes = Driver, ptr.To(true)
	counters.Spec.SharedCounters = []resourceapi.CounterSet{counterSet(hostSet, hosts)}
	list := counters.DeepCopy()
	list.Name = "tpu-devices"
	list.Spec.SharedCounters, list.Spec.AllNodes, list.Spec.PerDeviceNodeSelection = nil, nil, ptr.To(true)
	for _, s := range tpuShapes {
		for row := 0; row < gridSize; row += s[0] {
			for column := 0; column < gridSize; column += s[1] {
				list.Spec.Devices = append(list.Spec.Devices, tpuSlice(s, row, column))
			}
		}
	}
	p := on(gridHosts*gridHosts, []*resourceapi.ResourceSlice{counters, list},
		claim("c", request("tpu", 1, fmt.Sprintf(`device.attributes[%q].shape == %q`, Driver, shape))))
	for _, s := range p.Slices {
		s.Spec.Pool = resourceapi.ResourcePool{Name: "tpu", Generation: 1, ResourceSliceCount: 2}
	}
	return p
}

func tpuSlice(shape [2]int, row, column int) resourceapi.Device {
	uses := map[string]string{}
	var nodes []string
	for r := row; r < row+shape[0]; r += hostChips {
		for c := column; c < column+shape[1]; c += hostChips {
			host := r/hostChips*gridHosts + c/hostChips
			uses[fmt.Sprintf("host-%d", host)] = "4"
			nodes = append(nodes, nodeName(host))
		}
	}
	return resourceapi.Device{
		Name:             fmt.Sprintf("tpu-%dx%d-%d-%d", shape[0], shape[1], row, column),
		Attributes:       map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"shape": str(fmt.Sprintf("%dx%d", shape[0], shape[1]))},
		ConsumesCounters: []resourceapi.DeviceCounterConsumption{consumption(hostSet, uses)},
		NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: nodes},
		}}}},
	}
}
