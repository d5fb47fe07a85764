// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// dropsPartitions drops the fields of partitionable devices, as an API server without
// their feature gate does.
func dropsPartitions(spec *resourceapi.ResourceSliceSpec) {
	spec.SharedCounters, spec.PerDeviceNodeSelection = nil, nil
	for i := range spec.Devices {
		device := &spec.Devices[i]
		device.ConsumesCounters, device.NodeName, device.NodeSelector, device.AllNodes = nil, nil, nil, nil
	}
}

// otherDriver publishes devices with the same names as those of the subject.
// Its invalid allocations must not matter.
var otherDriver = slices.Concat(
	[]runtime.Object{&resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: "other"},
		Spec: resourceapi.ResourceSliceSpec{
			Driver: "other.example.com", Pool: resourceapi.ResourcePool{Name: "node-1", ResourceSliceCount: 1},
			Devices: []resourceapi.Device{{Name: "gpu-0"}},
		},
	}},
	fakecluster.AllocatedClaim("first", "other.example.com", "gpu-0"),
	fakecluster.AllocatedClaim("second", "other.example.com", "gpu-0"),
)

// adminAccess returns a claim with admin access to the whole GPU. It consumes
// nothing.
func adminAccess() []runtime.Object {
	objects := fakecluster.AllocatedClaim("monitor", "mig.example.com", "gpu-0")
	yes := true
	claim := objects[0].(*resourceapi.ResourceClaim)
	claim.Spec.Devices.Requests[0].Exactly.AdminAccess = &yes
	claim.Status.Allocation.Devices.Results[0].AdminAccess = &yes
	return objects
}
