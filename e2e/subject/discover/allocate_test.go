// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"fmt"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/fakedriver/model"
	"github.com/draconform/draconform/fakedriver/publish"
)

// claimFor returns a claim with one request per device, as specs create it.
func claimFor(name string, devices []subject.Device, match string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for i, d := range devices {
		request := &resourceapi.ExactDeviceRequest{DeviceClassName: d.Class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1}
		if d.Selector != "" {
			request.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: string(d.Selector)}}}
		}
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, resourceapi.DeviceRequest{Name: fmt.Sprintf("r%d", i), Exactly: request})
	}
	if match != "" {
		attribute := resourceapi.FullyQualifiedName(match)
		claim.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: &attribute}}
	}
	return claim
}

// The allocator, which shares no code with the search for combinations, gives
// specs what the file promises: mix and full fit on one parent, and full leaves
// no room for small on it.
func TestCombinationsAreAllocated(t *testing.T) {
	for _, name := range []string{"a100-40gb", "h100-80gb"} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			if !slices.Contains(model.Names(), name) {
				t.Fatalf("model %s does not exist, there are %v", name, model.Names())
			}
			gpu, err := model.Load(name)
			g.Expect(err).NotTo(HaveOccurred())
			in := Input{Objects: &state.Objects{}}
			for _, slice := range publish.NodeObjects("gpu.example.com", "node-1", publish.Slices(gpu.Inventory("node-1", 2), publish.SeparateCounters)) {
				in.Objects.Add(slice)
			}
			_, d := write(t, in, "")
			s, err := subject.Of(d)
			g.Expect(err).NotTo(HaveOccurred())
			for i := range s.Classes {
				in.Objects.Add(&s.Classes[i])
			}
			p := s.Partitions
			allocate := func(claims ...*resourceapi.ResourceClaim) bool {
				features := structured.Features{PartitionableDevices: true, ConsumableCapacity: true}
				index := allocator.NewIndex(allocator.Config{Features: features})
				index.Update(in.Objects.Slices)
				results, err := index.Allocator(in.Objects.AllocatedState(features), in.Objects.ClassLister()).Allocate(t.Context(), state.NamedNode("node-1"), claims)
				g.Expect(err).NotTo(HaveOccurred())
				for i := range results {
					claims[i].Status.Allocation = &results[i]
				}
				return len(results) > 0
			}
			g.Expect(allocate(claimFor("mix", p.Mix, p.Parent))).To(BeTrue())
			g.Expect(allocate(claimFor("big", []subject.Device{p.Big, p.Small}, p.Parent))).To(BeTrue())
			g.Expect(allocate(claimFor("big", []subject.Device{p.Big, p.Big}, p.Parent))).To(BeTrue())

			full := claimFor("full", p.Full, p.Parent)
			g.Expect(allocate(full)).To(BeTrue())
			in.Objects.Add(full)
			result := full.Status.Allocation.Devices.Results[0]
			parent := ""
			for _, slice := range in.Objects.Slices {
				for i := range slice.Spec.Devices {
					if slice.Spec.Devices[i].Name == result.Device {
						parent = *slice.Spec.Devices[i].Attributes["parentUUID"].StringValue
					}
				}
			}
			g.Expect(parent).NotTo(BeEmpty())
			g.Expect(allocate(claimFor("late", []subject.Device{p.OfParent(p.Small, parent)}, ""))).To(BeFalse())
			g.Expect(allocate(claimFor("whole", []subject.Device{p.OfParent(p.Whole, parent)}, ""))).To(BeFalse())
			g.Expect(allocate(claimFor("other", []subject.Device{p.Small}, ""))).To(BeTrue(), "on the other GPU")
		})
	}
}
