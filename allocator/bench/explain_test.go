// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/allocator/internal/testkit/inputs"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// explained are the problems whose explanation is measured, with the expected outcomes.
var explained = []struct {
	name  string
	want  explain.Outcome
	build func() *problem.Problem
}{
	{"8-a100-fit", explain.OutcomeFit, gpus},
	{"8-a100-full", explain.OutcomeNoFit, func() *problem.Problem {
		p := gpus()
		for gpu := range 8 {
			for place := range 7 {
				hold(p, "gpus", fmt.Sprintf("gpu-%d-1g-5gb-%d", gpu, place))
			}
		}
		return p
	}},
	// Half of each GPU is free, so every request fits alone.
	{"8-a100-halves", explain.OutcomeNoFit, func() *problem.Problem {
		p := gpus()
		for gpu := range 8 {
			hold(p, "gpus", fmt.Sprintf("gpu-%d-3g-20gb-4", gpu))
		}
		return p
	}},
	{"1000-devices-fit", explain.OutcomeFit, func() *problem.Problem { return plain(1000, request("r", 32)) }},
	{"1000-devices-in-use", explain.OutcomeNoFit, func() *problem.Problem {
		p := plain(1000, request("r", 1))
		for i := range 1000 {
			hold(p, fmt.Sprintf("pool-%02d", i/100), fmt.Sprintf("device-%03d", i))
		}
		return p
	}},
	// The maximum number of requests in a claim. Each fits alone; together they need one more device than there are
	// of their kind.
	{"1000-devices-conflict", explain.OutcomeNoFit, func() *problem.Problem {
		var requests []resourceapi.DeviceRequest
		for i := range 32 {
			requests = append(requests, request(fmt.Sprintf("r%d", i), 1, fmt.Sprintf(`device.attributes[%q].index < 31`, inputs.Driver)))
		}
		return plain(1000, requests...)
	}},
}

// gpus returns the claim of KEP-4815 for four partitions of one of eight GPUs, without allocated devices.
func gpus() *problem.Problem {
	list := inputs.Everyday()
	p := list[slices.IndexFunc(list, func(i inputs.Input) bool { return i.Name == "mig-claim-on-8-gpus" })].Build()
	p.Allocated = nil
	return p
}

// hold allocates a device to a separate claim.
func hold(p *problem.Problem, pool, device string) {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "holds-" + device}}
	c.Status.Allocation = &resourceapi.AllocationResult{}
	c.Status.Allocation.Devices.Results = []resourceapi.DeviceRequestAllocationResult{{Request: "r", Driver: inputs.Driver, Pool: pool, Device: device}}
	p.Allocated = append(p.Allocated, c)
}

func request(name string, count int64, expressions ...string) resourceapi.DeviceRequest {
	exactly := &resourceapi.ExactDeviceRequest{DeviceClassName: inputs.Class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count}
	for _, expression := range expressions {
		exactly.Selectors = append(exactly.Selectors, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}})
	}
	return resourceapi.DeviceRequest{Name: name, Exactly: exactly}
}

// plain returns a problem with one node and n devices, 100 per pool.
func plain(n int, requests ...resourceapi.DeviceRequest) *problem.Problem {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c"}}
	c.Spec.Devices.Requests = requests
	p := &problem.Problem{
		Nodes:   []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n"}}},
		Classes: []*resourceapi.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: inputs.Class}}},
		Claims:  []*resourceapi.ResourceClaim{c},
	}
	for i := range n {
		if i%100 == 0 {
			s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pool-%02d", i/100)}}
			s.Spec.Driver, s.Spec.NodeName = inputs.Driver, ptr.To("n")
			s.Spec.Pool = resourceapi.ResourcePool{Name: s.Name, Generation: 1, ResourceSliceCount: 1}
			p.Slices = append(p.Slices, s)
		}
		last := p.Slices[len(p.Slices)-1]
		last.Spec.Devices = append(last.Spec.Devices, resourceapi.Device{
			Name: fmt.Sprintf("device-%03d", i), Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"index": {IntValue: ptr.To(int64(i))}},
		})
	}
	return p
}

// BenchmarkExplain measures one explanation with an index that is reused.
func BenchmarkExplain(b *testing.B) {
	for _, input := range explained {
		b.Run(input.name, func(b *testing.B) {
			p := input.build()
			index := allocator.NewIndex(allocator.Config{Features: p.Enabled(), CELCache: p.CELCache()})
			index.Update(p.Slices)
			a, holders := index.Allocator(p.State(), p.Lister()), explain.HoldersOf(p.Allocated)
			b.ReportAllocs()
			for b.Loop() {
				x, err := a.Explain(context.Background(), p.Nodes[0], p.Claims, holders)
				if err != nil {
					b.Fatal(err)
				}
				if x.Outcome != input.want {
					b.Fatalf("want %s, got %s", input.want, x)
				}
			}
		})
	}
}
