// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package problem_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

func holding(results ...resourceapi.DeviceRequestAllocationResult) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{}
	claim.Status.Allocation = &resourceapi.AllocationResult{}
	claim.Status.Allocation.Devices.Results = results
	return claim
}

func result(device string, change func(*resourceapi.DeviceRequestAllocationResult)) resourceapi.DeviceRequestAllocationResult {
	r := resourceapi.DeviceRequestAllocationResult{Driver: "gpu.example.com", Pool: "p", Device: device}
	if change != nil {
		change(&r)
	}
	return r
}

func share(id, memory string) func(*resourceapi.DeviceRequestAllocationResult) {
	return func(r *resourceapi.DeviceRequestAllocationResult) {
		r.ShareID = ptr.To(types.UID(id))
		r.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse(memory)}
	}
}

func TestStateCountsDevicesSharesAndCapacities(t *testing.T) {
	g := NewWithT(t)
	p := &problem.Problem{Allocated: []*resourceapi.ResourceClaim{
		{},
		holding(result("whole", nil), result("watched", func(r *resourceapi.DeviceRequestAllocationResult) { r.AdminAccess = ptr.To(true) })),
		holding(result("shared", share("a", "1Gi")), result("shared", share("b", "2Gi"))),
	}}
	whole := structured.MakeDeviceID("gpu.example.com", "p", "whole")
	shared := structured.MakeDeviceID("gpu.example.com", "p", "shared")

	state := p.State()
	g.Expect(state.AllocatedDevices.UnsortedList()).To(ConsistOf(whole))
	g.Expect(state.AllocatedSharedDeviceIDs).To(HaveLen(2))
	g.Expect(state.AggregatedCapacity[shared]["memory"].String()).To(Equal("3Gi"))

	p.Features = &problem.Features{}
	g.Expect(p.State().AllocatedDevices.UnsortedList()).To(ConsistOf(whole, shared), "without consumable capacity a share is the whole device")
}

func TestYAMLPreservesTheProblem(t *testing.T) {
	g := NewWithT(t)
	p := &problem.Problem{
		Features:  &problem.Features{DeviceTaints: true, PrioritizedList: true},
		Allocated: []*resourceapi.ResourceClaim{holding(result("shared", share("a", "1Gi")))},
		Claims:    []*resourceapi.ResourceClaim{{}},
	}
	p.Claims[0].Name = "c"
	p.Claims[0].Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{
		AdminAccess: ptr.To(false), Capacity: &resourceapi.CapacityRequirements{},
	}}}

	text, err := problem.YAML(p)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(ContainSubstring("features:\n- DeviceTaints\n- PrioritizedList\n"))
	read := &problem.Problem{}
	g.Expect(yaml.UnmarshalStrict(text, read)).To(Succeed())
	again, err := problem.YAML(read)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(again)).To(Equal(string(text)))
	g.Expect(read.Claims[0].Spec.Devices.Requests[0]).To(Equal(p.Claims[0].Spec.Devices.Requests[0]))
}

func TestUnknownFeatureIsAnError(t *testing.T) {
	g := NewWithT(t)
	g.Expect(yaml.UnmarshalStrict([]byte("features: [Partitions]"), &problem.Problem{})).To(MatchError(ContainSubstring(`"Partitions"`)))
	g.Expect(yaml.UnmarshalStrict([]byte("features: some"), &problem.Problem{})).To(MatchError(ContainSubstring(`"some"`)))
	all := &problem.Problem{}
	g.Expect(yaml.UnmarshalStrict([]byte("features: all"), all)).To(Succeed())
	g.Expect(all.Enabled()).To(Equal(problem.AllFeatures))
}
