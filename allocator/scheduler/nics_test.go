// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator"
)

const subnet = "networking.example.com/subnet"

// nics returns the slice of a node with count devices that claims of one subnet can share.
func nics(nodeName string, count int) *resourceapi.ResourceSlice {
	slice := gpus(nodeName, count, func(d *resourceapi.Device) { d.AllowMultipleAllocations = ptr.To(true) })
	declared := ""
	for i := range count {
		declared += fmt.Sprintf(`,"gpu-%d":{"attributeKeys":[%q]}`, i, subnet)
	}
	slice.Annotations = map[string]string{allocator.AffinityAnnotation: "{" + declared[1:] + "}"}
	return slice
}

func statesSubnet(value string) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: "resource.k8s.io",
		Parameters: runtime.RawExtension{Raw: fmt.Appendf(nil,
			`{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","attributes":{%q:{"string":%q}}}`, subnet, value)},
	}}
}

// inSubnet returns a claim that requests one device and states a subnet. With an empty value
// it states none.
func inSubnet(name, value string) *resourceapi.ResourceClaim {
	claim := claimOf(name, request("req", 1))
	if value != "" {
		claim.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: statesSubnet(value)}}
	}
	return claim
}

// oneNIC returns objects with claims x1, x2 and x3 of one subnet, y of another, and none
// without a value.
func oneNIC(more ...runtime.Object) []runtime.Object {
	return append(more, node("a"), deviceClass(), nics("a", 1),
		inSubnet("x1", "x"), inSubnet("x2", "x"), inSubnet("x3", "x"), inSubnet("y", "y"), inSubnet("none", ""))
}

// sharing returns a claim with a share of gpu-0 of node a. It states a subnet if value is not
// empty.
func sharing(name, value string) *resourceapi.ResourceClaim {
	claim := on(inSubnet(name, value), "a", "gpu-0")
	devices := &claim.Status.Allocation.Devices
	devices.Results[0].ShareID = ptr.To(types.UID("share-of-" + name))
	for _, config := range claim.Spec.Devices.Config {
		devices.Config = append(devices.Config, resourceapi.DeviceAllocationConfiguration{
			Source: resourceapi.AllocationConfigSourceClaim, DeviceConfiguration: config.DeviceConfiguration,
		})
	}
	return claim
}
