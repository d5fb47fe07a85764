// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocator_test

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/state"
)

// One of the two devices of a slice is already allocated.
func ExampleIndex() {
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice"}, Spec: resourceapi.ResourceSliceSpec{
		Driver: "gpu.example.com", NodeName: ptr.To("node"),
		Pool:    resourceapi.ResourcePool{Name: "gpus", Generation: 1, ResourceSliceCount: 1},
		Devices: []resourceapi.Device{{Name: "gpu-0"}, {Name: "gpu-1"}},
	}}
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim"}, Spec: resourceapi.ResourceClaimSpec{
		Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{Name: "gpu", Exactly: &resourceapi.ExactDeviceRequest{
			DeviceClassName: "gpu", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1,
		}}}},
	}}
	objects := &state.Objects{Classes: []*resourceapi.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}}}

	index := allocator.NewIndex(allocator.Config{})
	index.Update([]*resourceapi.ResourceSlice{slice})
	allocated := structured.AllocatedState{AllocatedDevices: sets.New(structured.MakeDeviceID("gpu.example.com", "gpus", "gpu-0"))}
	a := index.Allocator(allocated, objects.ClassLister())
	results, err := a.Allocate(context.Background(), state.NamedNode("node"), []*resourceapi.ResourceClaim{claim})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results[0].Devices.Results {
		fmt.Printf("request %s: %s/%s/%s\n", r.Request, r.Driver, r.Pool, r.Device)
	}
	// Output: request gpu: gpu.example.com/gpus/gpu-1
}
