// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocator_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator"
)

type classes map[string]*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return nil, nil }

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	if class := c[name]; class != nil {
		return class, nil
	}
	return nil, fmt.Errorf("device class %q not found", name)
}

var gpus = classes{"gpu": {ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: resourceapi.DeviceClassSpec{Selectors: []resourceapi.DeviceSelector{
	{CEL: &resourceapi.CELDeviceSelector{Expression: `device.driver == "gpu.example.com"`}},
}}}}

func node(name string) *corev1.Node { return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}} }

// slice returns the only slice of a pool. Without a node name it is for all nodes.
func slice(pool, node string, devices ...string) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: pool}}
	s.Spec = resourceapi.ResourceSliceSpec{Driver: "gpu.example.com", Pool: resourceapi.ResourcePool{Name: pool, ResourceSliceCount: 1}}
	if node == "" {
		s.Spec.AllNodes = ptr.To(true)
	} else {
		s.Spec.NodeName = &node
	}
	for _, name := range devices {
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: name})
	}
	return s
}

func claim(requests ...resourceapi.DeviceRequest) []*resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "claim"}}
	c.Spec.Devices.Requests = requests
	return []*resourceapi.ResourceClaim{c}
}

func gpu(count int64) resourceapi.DeviceRequest {
	return resourceapi.DeviceRequest{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: "gpu", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
	}}
}

func chosen(results []resourceapi.AllocationResult) (devices []string) {
	for i := range results {
		for _, r := range results[i].Devices.Results {
			devices = append(devices, r.Pool+"/"+r.Device)
		}
	}
	return devices
}

func TestUpdateReplacesSlicesAndOldAllocatorsKeepTheirs(t *testing.T) {
	g := NewWithT(t)
	ctx, index := context.Background(), allocator.NewIndex(allocator.Config{})
	a, b := slice("a", "n1", "x"), slice("b", "n1", "y")
	index.Update([]*resourceapi.ResourceSlice{b, a})
	before := index.Allocator(structured.AllocatedState{}, gpus)
	g.Expect(before.Allocate(ctx, node("n1"), claim(gpu(2)))).To(WithTransform(chosen, Equal([]string{"a/x", "b/y"})))

	index.Update([]*resourceapi.ResourceSlice{slice("a", "n1", "z"), b})
	after := index.Allocator(structured.AllocatedState{}, gpus)
	g.Expect(after.Allocate(ctx, node("n1"), claim(gpu(2)))).To(WithTransform(chosen, Equal([]string{"a/z", "b/y"})))
	g.Expect(before.Allocate(ctx, node("n1"), claim(gpu(2)))).To(WithTransform(chosen, Equal([]string{"a/x", "b/y"})))

	index.Update(nil)
	g.Expect(index.Allocator(structured.AllocatedState{}, gpus).Allocate(ctx, node("n1"), claim(gpu(1)))).To(BeNil())
}

func TestAllocatedDevicesAreNotAllocatedAgain(t *testing.T) {
	g := NewWithT(t)
	index := allocator.NewIndex(allocator.Config{})
	index.Update([]*resourceapi.ResourceSlice{slice("a", "n1", "x", "y")})
	state := structured.AllocatedState{AllocatedDevices: sets.New(structured.MakeDeviceID("gpu.example.com", "a", "x"))}
	a := index.Allocator(state, gpus)
	g.Expect(a.Allocate(context.Background(), node("n1"), claim(gpu(1)))).To(WithTransform(chosen, Equal([]string{"a/y"})))
	g.Expect(a.Fits(context.Background(), node("n1"), claim(gpu(2)))).To(BeFalse())
}

// Nodes without slices of their own share a view. The node selector of the result must still be that of the
// requested node.
func TestNodesWithTheSameSlicesGetTheSameDevices(t *testing.T) {
	g := NewWithT(t)
	s := slice("a", "", "x")
	s.Spec.Devices[0].BindsToNode = ptr.To(true)
	a, err := allocator.NewAllocator(context.Background(), structured.Features{}, structured.AllocatedState{}, gpus, []*resourceapi.ResourceSlice{s}, nil)
	g.Expect(err).NotTo(HaveOccurred())
	claims := claim(gpu(1))
	for _, name := range []string{"n1", "n2", "n1"} {
		results, err := a.Allocate(context.Background(), node(name), claims)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(chosen(results)).To(Equal([]string{"a/x"}))
		g.Expect(results[0].NodeSelector.NodeSelectorTerms[0].MatchFields[0].Values).To(Equal([]string{name}))
	}
}

// The number of claims is the same, but the objects are different. The cached plan of the other claims must not be
// used.
func TestPlanOfOtherClaimsIsNotReused(t *testing.T) {
	g := NewWithT(t)
	index := allocator.NewIndex(allocator.Config{})
	index.Update([]*resourceapi.ResourceSlice{slice("a", "", "x", "y")})
	a := index.Allocator(structured.AllocatedState{}, gpus)
	g.Expect(a.Fits(context.Background(), node("n1"), claim(gpu(3)))).To(BeFalse())
	g.Expect(a.Fits(context.Background(), node("n1"), claim(gpu(2)))).To(BeTrue())
	g.Expect(a.Fits(context.Background(), node("n1"), claim(gpu(3)))).To(BeFalse())
}

func TestCancelledContextEndsAllocation(t *testing.T) {
	g := NewWithT(t)
	index := allocator.NewIndex(allocator.Config{})
	index.Update([]*resourceapi.ResourceSlice{slice("a", "", "x")})
	a := index.Allocator(structured.AllocatedState{}, gpus)
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("canceled by the caller")
	cancel(cause)
	_, err := a.Allocate(ctx, node("n1"), claim(gpu(1)))
	g.Expect(err).To(MatchError(cause))
	g.Expect(a.Fits(context.Background(), node("n1"), claim(gpu(1)))).To(BeTrue())
}

func TestExhaustedStepsAreAnErrorOfTheNode(t *testing.T) {
	g := NewWithT(t)
	index := allocator.NewIndex(allocator.Config{MaxSteps: 3})
	index.Update([]*resourceapi.ResourceSlice{slice("a", "n1", "v", "w", "x", "y", "z")})
	_, err := index.Allocator(structured.AllocatedState{}, gpus).Allocate(context.Background(), node("n1"), claim(gpu(5)))
	g.Expect(err).To(MatchError(allocator.ErrStepsExhausted))
	g.Expect(err).To(MatchError(structured.ErrFailedAllocationOnNode))
	g.Expect(err).To(MatchError("node n1: search for devices stopped after 3 steps"))
}

func TestIncompletePoolAndAllDevices(t *testing.T) {
	incomplete := slice("a", "n1", "x")
	incomplete.Spec.Pool.ResourceSliceCount = 2
	all := gpu(0)
	all.Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
	for name, fixed := range map[string]bool{"like upstream, for the pod": false, "fixed, for the node": true} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			index := allocator.NewIndex(allocator.Config{Fixes: allocator.Fixes{PoolErrorsStayOnNode: fixed}})
			index.Update([]*resourceapi.ResourceSlice{incomplete, slice("b", "n1", "y")})
			_, err := index.Allocator(structured.AllocatedState{}, gpus).Allocate(context.Background(), node("n1"), claim(all))
			g.Expect(err).To(MatchError("claim default/claim, request r: asks for all devices, but resource pool gpu.example.com/a is currently being updated"))
			g.Expect(errors.Is(err, structured.ErrFailedAllocationOnNode)).To(Equal(fixed))
		})
	}
}

func TestIndexIsUsableWhileItIsUpdated(t *testing.T) {
	g := NewWithT(t)
	index := allocator.NewIndex(allocator.Config{})
	list := []*resourceapi.ResourceSlice{slice("a", "n1", "x"), slice("b", "n2", "x"), slice("c", "", "x")}
	index.Update(list)
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			for j := range 50 {
				if j%10 == 0 {
					index.Update(append([]*resourceapi.ResourceSlice{slice("d", "n1", fmt.Sprint(i))}, list...))
				}
				results, err := index.Allocator(structured.AllocatedState{}, gpus).Allocate(context.Background(), node("n1"), claim(gpu(2)))
				if err != nil || len(results) != 1 || results[0].Devices.Results[0].Pool != "a" || results[0].Devices.Results[1].Pool != "c" {
					t.Errorf("allocated %v, error %v", results, err)
				}
			}
		})
	}
	wait.Wait()
	g.Expect(index.Allocator(structured.AllocatedState{}, gpus).Fits(context.Background(), node("n2"), claim(gpu(2)))).To(BeTrue())
}
