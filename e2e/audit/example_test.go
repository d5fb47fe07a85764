// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"context"
	"fmt"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// A whole GPU and a half of it are allocated at the same time.
func ExampleAuditor() {
	device := func(name, memory string) resourceapi.Device {
		counters := map[string]resourceapi.Counter{"memory": {Value: resource.MustParse(memory)}}
		return resourceapi.Device{Name: name, ConsumesCounters: []resourceapi.DeviceCounterConsumption{{CounterSet: "gpu", Counters: counters}}}
	}
	claim := func(name, device string) resourceapi.ResourceClaim {
		exactly := resourceapi.ExactDeviceRequest{AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1}
		result := resourceapi.DeviceRequestAllocationResult{Request: "gpu", Driver: "gpu.example.com", Pool: "gpus", Device: device}
		return resourceapi.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)},
			Spec:       resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{Name: "gpu", Exactly: &exactly}}}},
			Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{
				Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{result}},
			}},
		}
	}
	view := audit.View{At: time.Unix(0, 0), Slices: []resourceapi.ResourceSlice{{Spec: resourceapi.ResourceSliceSpec{
		Driver: "gpu.example.com", AllNodes: ptr.To(true), Pool: resourceapi.ResourcePool{Name: "gpus", Generation: 1, ResourceSliceCount: 1},
		SharedCounters: []resourceapi.CounterSet{{Name: "gpu", Counters: map[string]resourceapi.Counter{"memory": {Value: resource.MustParse("40Gi")}}}},
		Devices:        []resourceapi.Device{device("whole", "40Gi"), device("half", "20Gi")},
	}}}}

	auditor := audit.New(audit.Config{})
	auditor.Audit(context.Background(), view) // Only later allocations are compared with slices.
	view.At = view.At.Add(time.Second)
	view.Claims = []resourceapi.ResourceClaim{claim("first", "whole"), claim("second", "half")}
	for _, alarm := range auditor.Audit(context.Background(), view) {
		fmt.Printf("%s: %s\n", alarm.Rule, alarm.Text)
	}
	// Output: counters-suffice: counter memory of counter set gpu in pool gpu.example.com/gpus is overdrawn: 60Gi of 40Gi are consumed (20Gi by half of default/second; 40Gi by whole of default/first)
}
