// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Claim has the fields of a ResourceClaim of Kubernetes 1.31, and some of 1.30, that specs
// read.
type Claim struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Controller string `json:"controller"`
		// AllocationMode is a field of Kubernetes 1.30.
		AllocationMode string `json:"allocationMode"`
	} `json:"spec"`
	Status struct {
		// DriverName is a field of Kubernetes 1.30. 1.31 has it in the allocation.
		DriverName            string      `json:"driverName"`
		Allocation            *Allocation `json:"allocation"`
		ReservedFor           []Consumer  `json:"reservedFor"`
		DeallocationRequested bool        `json:"deallocationRequested"`
	} `json:"status"`
}

// Allocation is the allocation of a claim.
type Allocation struct {
	NodeSelector *corev1.NodeSelector `json:"nodeSelector,omitempty"`
	Controller   string               `json:"controller,omitempty"`
	Devices      *AllocatedDevices    `json:"devices,omitempty"`
	// AvailableOnNodes and ResourceHandles are fields of Kubernetes 1.30.
	AvailableOnNodes *corev1.NodeSelector `json:"availableOnNodes,omitempty"`
	ResourceHandles  []ResourceHandle     `json:"resourceHandles,omitempty"`
}

// ResourceHandle has data for the kubelet plugin of a driver.
type ResourceHandle struct {
	DriverName string `json:"driverName"`
	Data       string `json:"data"`
}

// AllocatedDevices are the devices of an allocation.
type AllocatedDevices struct {
	Results []AllocatedDevice `json:"results,omitempty"`
}

// AllocatedDevice is a device of an allocation.
type AllocatedDevice struct {
	Request string `json:"request"`
	Driver  string `json:"driver"`
	Pool    string `json:"pool"`
	Device  string `json:"device"`
}

// names returns the devices as pool/name. An allocation that does not exist has none.
func (a *Allocation) names() []string {
	var names []string
	if a != nil && a.Devices != nil {
		for _, d := range a.Devices.Results {
			names = append(names, d.Pool+"/"+d.Device)
		}
	}
	return names
}

// Consumer is a pod that a claim is reserved for.
type Consumer struct {
	Resource string `json:"resource"`
	Name     string `json:"name"`
	UID      string `json:"uid"`
}

// Context has the fields of a PodSchedulingContext that specs read.
type Context struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		SelectedNode   string   `json:"selectedNode"`
		PotentialNodes []string `json:"potentialNodes"`
	} `json:"spec"`
	Status struct {
		ResourceClaims []Answer `json:"resourceClaims"`
	} `json:"status"`
}

// Answer is what a driver says about a claim of a pod.
type Answer struct {
	// Name is the name of the claim in the pod.
	Name string `json:"name"`
	// UnsuitableNodes are the nodes for which the claim cannot be allocated.
	UnsuitableNodes []string `json:"unsuitableNodes,omitempty"`
}

// Class has the fields of a DeviceClass that specs read.
type Class struct {
	Spec struct {
		SuitableNodes *corev1.NodeSelector `json:"suitableNodes"`
	} `json:"spec"`
}
