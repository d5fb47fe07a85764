// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package inputs

import (
	"fmt"
	"strconv"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// none is a selector that selects no device.
const none = `device.driver == "none.example.com"`

// NoFit returns problems on one node without a solution. For each, the reason
// is easy to see, but a search that only tries combinations does not find it.
func NoFit() []Input {
	list := []Input{
		{Name: "S1-32-of-31", Build: func() *problem.Problem { return plain(31, claim("c", request("r", 32))) }},
		{Name: "S1-25-of-24", Build: func() *problem.Problem { return plain(24, claim("c", request("r", 25))) }},
		{Name: "S2-10-requests-9-devices", Build: func() *problem.Problem { return plain(9, claim("c", repeated(10)...)) }},
		{Name: "S2-32-requests-31-devices", Build: func() *problem.Problem { return plain(31, claim("c", repeated(32)...)) }},
		{Name: "S3-6-nics-and-no-gpu", Build: func() *problem.Problem { return plain(16, claim("c", append(repeated(6), request("gpu", 1, none))...)) }},
		{Name: "S4-8-of-16-and-second-claim", Build: func() *problem.Problem {
			return plain(16, claim("c", request("gpu", 8)), claim("d", request("r", 1, none)))
		}},
		{Name: "S4-16-of-32-and-second-claim", Build: func() *problem.Problem {
			return plain(32, claim("c", request("gpu", 16)), claim("d", request("r", 1, none)))
		}},
		{Name: "S5-17-of-16-with-the-same-root", Build: func() *problem.Problem {
			return grouped(4, matching(claim("c", request("r", 17)), Driver+"/root"))
		}},
		{Name: "S6-9-of-8-distinct", Build: func() *problem.Problem {
			return grouped(8, distinct(claim("c", request("r", 9)), Driver+"/root"))
		}},
		{Name: "S7-10x10Gi-of-95Gi-among-20", Build: func() *problem.Problem { return memory(20, "95Gi", "10Gi", 10) }},
		{Name: "S7-10x10Gi-of-95Gi-among-32", Build: func() *problem.Problem { return memory(32, "95Gi", "10Gi", 10) }},
		{Name: "S8-16-of-14-1g-partitions", Build: func() *problem.Problem { return smallPartitions(2, 16) }},
		{Name: "S8-29-of-28-1g-partitions", Build: func() *problem.Problem { return smallPartitions(4, 29) }},
		{Name: "S9-8-times-8-alternatives", Build: alternatives},
		{Name: "S13-10-requests-one-expensive-selector", Build: expensiveSelector},
		{Name: "S14-16-different-selectors", Build: differentSelectors},
	}
	for i := range list {
		list[i].Class = diff.NoFit
	}
	return list
}

// plain returns a problem with one node and n equal devices.
func plain(n int, claims ...*resourceapi.ResourceClaim) *problem.Problem {
	return on(1, []*resourceapi.ResourceSlice{slice(nodeName(0), "pool", devices(n, nil))}, claims...)
}

// grouped returns a problem with 64 devices and the given number of different
// values of the attribute root.
func grouped(values int, claims ...*resourceapi.ResourceClaim) *problem.Problem {
	list := devices(64, func(i int, device *resourceapi.Device) {
		device.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"root": str(fmt.Sprintf("pci%02d", i*values/64))}
	})
	return on(1, []*resourceapi.ResourceSlice{slice(nodeName(0), "pool", list)}, claims...)
}

// memory returns a problem with one counter that equal partitions consume.
func memory(n int, all, each string, count int64) *problem.Problem {
	list := devices(n, func(_ int, device *resourceapi.Device) {
		device.ConsumesCounters = []resourceapi.DeviceCounterConsumption{consumption("gpu", map[string]string{"memory": each})}
	})
	sets := []resourceapi.CounterSet{counterSet("gpu", map[string]string{"memory": all})}
	return on(1, partitioned(nodeName(0), "pool", sets, list), claim("c", request("r", count)))
}

// smallPartitions returns a problem with GPUs and a claim for their smallest
// partitions. The count is larger than what fits.
func smallPartitions(gpus int, count int64) *problem.Problem {
	sets, list := a100s(gpus)
	return on(1, partitioned(nodeName(0), "gpus", sets, list), claim("c", request("r", count, profileIs("1g.5gb"))))
}

// alternatives returns a problem with requests whose alternatives all fit, and
// one request that no device fits.
func alternatives() *problem.Problem {
	var requests []resourceapi.DeviceRequest
	for i := range 8 {
		requests = append(requests, prioritized(i, func(int) []resourceapi.DeviceSelector { return nil }))
	}
	return plain(32, claim("c", append(requests, request("last", 1, none))...))
}

// prioritized returns a request with eight subrequests for one device each.
func prioritized(number int, selectors func(alternative int) []resourceapi.DeviceSelector) resourceapi.DeviceRequest {
	r := resourceapi.DeviceRequest{Name: fmt.Sprintf("request-%d", number)}
	for j := range 8 {
		r.FirstAvailable = append(r.FirstAvailable, resourceapi.DeviceSubRequest{
			Name: fmt.Sprintf("alternative-%d", j), DeviceClassName: Class,
			AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1, Selectors: selectors(j),
		})
	}
	return r
}

// expensiveSelector returns a problem with requests that share a selector which
// is slow to evaluate on each of many devices.
func expensiveSelector() *problem.Problem {
	list := devices(128, func(i int, device *resourceapi.Device) {
		device.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"address": str(fmt.Sprintf("0000:%02x:%02x.0", i/32, i%32))}
	})
	expression := `device.attributes["` + Driver + `"].address.matches("^[0-9a-f]{4}:0[0-3]:[0-9a-f]{2}[.][1-7]$")`
	return on(1, []*resourceapi.ResourceSlice{slice(nodeName(0), "pool", list)}, claim("c", repeated(10, expression)...))
}

// differentSelectors returns a problem with more expressions than fit into
// kube-scheduler's cache.
func differentSelectors() *problem.Problem {
	list := devices(16, func(i int, device *resourceapi.Device) {
		device.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"index": {IntValue: ptr.To(int64(i))}}
	})
	var requests []resourceapi.DeviceRequest
	for i := range 2 {
		requests = append(requests, prioritized(i, func(j int) []resourceapi.DeviceSelector {
			return []resourceapi.DeviceSelector{selector(`device.attributes["` + Driver + `"].index > ` + strconv.Itoa(100+8*i+j))}
		}))
	}
	return on(1, []*resourceapi.ResourceSlice{slice(nodeName(0), "pool", list)}, claim("c", requests...))
}

// ManyNodes returns problems on thousands of nodes. They measure what an
// allocator does for each node.
func ManyNodes() []Input {
	return []Input{
		{Name: "S10-80-network-slices", Class: diff.NoFit, Build: func() *problem.Problem { return network(5000, 80) }},
		{Name: "S11-one-pool-over-all-nodes", Class: diff.NoFit, Build: func() *problem.Problem { return onePool(5000) }},
		{Name: "S12-16000-shares", Class: diff.NoFit, Build: func() *problem.Problem { return shares(1000, 4, 4) }},
	}
}

// network returns a problem with a pool for all nodes of 128 devices per slice.
// All of its devices are allocated.
func network(nodes, count int) *problem.Problem {
	var all []*resourceapi.ResourceSlice
	var held []*resourceapi.ResourceClaim
	for i := range count {
		s := slice("", "network", devices(128, func(j int, device *resourceapi.Device) { device.Name = fmt.Sprintf("device-%02d-%03d", i, j) }))
		s.Name = fmt.Sprintf("network-%02d", i)
		s.Spec.NodeName, s.Spec.AllNodes = nil, ptr.To(true)
		s.Spec.Pool.ResourceSliceCount = int64(count)
		all = append(all, s)
		for _, device := range s.Spec.Devices {
			held = append(held, holding(device.Name, "network", device.Name))
		}
	}
	p := on(nodes, all, claim("c", request("r", 1)))
	p.Allocated = held
	return p
}

// onePool returns a problem with one pool that has a slice on each node.
func onePool(nodes int) *problem.Problem {
	var all []*resourceapi.ResourceSlice
	for i := range nodes {
		s := slice(nodeName(i), "domain", devices(4, func(j int, device *resourceapi.Device) { device.Name = fmt.Sprintf("device-%04d-%d", i, j) }))
		s.Name = nodeName(i)
		s.Spec.Pool.ResourceSliceCount = int64(nodes)
		all = append(all, s)
	}
	return on(nodes, all, claim("c", request("r", 5)))
}

// shares returns a problem with perNode shared devices on each node, each with
// perDevice shares.
func shares(nodes, perNode, perDevice int) *problem.Problem {
	var all []*resourceapi.ResourceSlice
	var held []*resourceapi.ResourceClaim
	for i := range nodes {
		pool := nodeName(i)
		all = append(all, slice(pool, pool, bandwidthDevices(perNode)))
		for j := range perNode * perDevice {
			c := holding(fmt.Sprintf("%s-%d", pool, j), pool, fmt.Sprintf("device-%03d", j/perDevice))
			share(c, fmt.Sprintf("%08d-0000-0000-0000-%012d", i, j), "2500M")
			held = append(held, c)
		}
	}
	p := on(nodes, all, bandwidthClaim())
	p.Allocated = held
	return p
}

func share(c *resourceapi.ResourceClaim, id, bandwidth string) {
	result := &c.Status.Allocation.Devices.Results[0]
	result.ShareID = ptr.To(types.UID(id))
	result.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"bandwidth": resource.MustParse(bandwidth)}
}
