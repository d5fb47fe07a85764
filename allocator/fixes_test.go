// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocator_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator"
)

// consuming makes the devices of a slice consume an amount of a counter of their pool.
func consuming(s *resourceapi.ResourceSlice, amount string) *resourceapi.ResourceSlice {
	for i := range s.Spec.Devices {
		s.Spec.Devices[i].ConsumesCounters = []resourceapi.DeviceCounterConsumption{{
			CounterSet: "set", Counters: map[string]resourceapi.Counter{"memory": {Value: resource.MustParse(amount)}},
		}}
	}
	return s
}

// counting adds the counter to a slice, with the value 1.
func counting(s *resourceapi.ResourceSlice) *resourceapi.ResourceSlice {
	s.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "set", Counters: map[string]resourceapi.Counter{"memory": {Value: resource.MustParse("1")}}}}
	return s
}

// partitions returns a pool with devices that consume amounts, and a slice with the counter.
func partitions(amount string, devices ...string) []*resourceapi.ResourceSlice {
	list := []*resourceapi.ResourceSlice{consuming(slice("a", "n1", devices...), amount), counting(slice("a", "n1"))}
	list[1].Name = "a-counters"
	for _, s := range list {
		s.Spec.Pool.ResourceSliceCount = 2
	}
	return list
}

func attributed(s *resourceapi.ResourceSlice, values ...string) *resourceapi.ResourceSlice {
	for i := range values {
		s.Spec.Devices[i].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"root": {StringValue: &values[i]}}
	}
	return s
}

// Each case compares the results without and with the fix.
func TestFixes(t *testing.T) {
	features := structured.Features{AdminAccess: true, PartitionableDevices: true, ConsumableCapacity: true}
	admin := gpu(1)
	admin.Exactly.AdminAccess = ptr.To(true)
	all := gpu(0)
	all.Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
	all.Exactly.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{
		Expression: `device.allowMultipleAllocations`,
	}}}
	first := gpu(1)
	first.Name = "first"
	conflict := claim(first, all)
	roots := attributed(slice("b", "n1", "y", "z"), "b", "b")
	roots.Spec.Devices[1].AllowMultipleAllocations = ptr.To(true)
	conflict[0].Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName("gpu.example.com/root"))}}

	for name, test := range map[string]struct {
		fix    func(*allocator.Fixes)
		slices []*resourceapi.ResourceSlice
		state  structured.AllocatedState
		claims []*resourceapi.ResourceClaim
		before any // Matches the result without the fix: devices, nil or the text of an error.
		after  any
	}{
		"admin access consumes no counters": {
			fix:    func(f *allocator.Fixes) { f.AdminAccessIgnoresCounters = true },
			slices: partitions("1", "x"),
			state:  structured.AllocatedState{AllocatedDevices: sets.New(structured.MakeDeviceID("gpu.example.com", "a", "x"))},
			claims: claim(admin),
			before: nil,
			after:  []string{"a/x"},
		},
		"all devices that conflict with an earlier choice": {
			fix:    func(f *allocator.Fixes) { f.AllConflictIsNoFit = true },
			slices: []*resourceapi.ResourceSlice{attributed(slice("a", "n1", "x"), "a"), roots},
			claims: conflict,
			before: "claim default/claim, request r: cannot add device gpu.example.com/b/z because a claim constraint would not be satisfied",
			after:  []string{"b/y", "b/z"},
		},
		"a live share of a device that is no longer shared": {
			fix:    func(f *allocator.Fixes) { f.LiveShareBlocksDedicated = true },
			slices: []*resourceapi.ResourceSlice{slice("a", "n1", "x")},
			state: structured.AllocatedState{AllocatedSharedDeviceIDs: sets.New(
				structured.MakeSharedDeviceID(structured.MakeDeviceID("gpu.example.com", "a", "x"), ptr.To(types.UID("share"))))},
			claims: claim(gpu(1)),
			before: []string{"a/x"},
			after:  nil,
		},
		"negative counters": {
			fix:    func(f *allocator.Fixes) { f.RejectNegativeCounters = true },
			slices: partitions("-1", "x"),
			claims: claim(gpu(1)),
			before: []string{"a/x"},
			after:  "invalid resource pools were encountered",
		},
		"devices in the slice of their counters": {
			fix:    func(f *allocator.Fixes) { f.SameSliceCounters = true },
			slices: []*resourceapi.ResourceSlice{counting(consuming(slice("a", "n1", "x", "y"), "1"))},
			claims: claim(gpu(1)),
			before: nil,
			after:  []string{"a/x"},
		},
		"counters in the slice of their devices are counted": {
			fix:    func(f *allocator.Fixes) { f.SameSliceCounters = true },
			slices: []*resourceapi.ResourceSlice{counting(consuming(slice("a", "n1", "x", "y"), "1"))},
			claims: claim(gpu(2)),
			before: nil,
			after:  nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, fixed := range []bool{false, true} {
				g := NewWithT(t)
				var fixes allocator.Fixes
				want := test.before
				if fixed {
					test.fix(&fixes)
					want = test.after
				}
				index := allocator.NewIndex(allocator.Config{Features: features, Fixes: fixes})
				index.Update(test.slices)
				results, err := index.Allocator(test.state, gpus).Allocate(context.Background(), node("n1"), test.claims)
				switch want := want.(type) {
				case nil:
					g.Expect(err).NotTo(HaveOccurred())
					g.Expect(results).To(BeNil())
				case string:
					g.Expect(err).To(MatchError(want))
				default:
					g.Expect(err).NotTo(HaveOccurred())
					g.Expect(chosen(results)).To(Equal(want))
				}
			}
		})
	}
}
