// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Claim has the fields of a ResourceClaim of Kubernetes 1.31, and some of 1.30, that specs
// read.
type Claim struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Controller string `json:"controller"`
		// AllocationMode is a field of Kubernetes 1.30.
		AllocationMode string `json:"allocationMode"`
		// Devices is a field of 1.31.
		Devices struct {
			Requests []Request `json:"requests"`
		} `json:"devices"`
	} `json:"spec"`
	Status struct {
		// DriverName is a field of Kubernetes 1.30. 1.31 has it in the allocation.
		DriverName            string      `json:"driverName"`
		Allocation            *Allocation `json:"allocation"`
		ReservedFor           []Consumer  `json:"reservedFor"`
		DeallocationRequested bool        `json:"deallocationRequested"`
	} `json:"status"`
}

// AsNew returns the claim with those fields of its status that newer releases have as well. The
// devices of a claim of 1.30 are known to its driver only. Devices that a claim has by admin
// access are left out, because it shares them.
func (c Claim) AsNew() resourceapi.ResourceClaim {
	claim := resourceapi.ResourceClaim{ObjectMeta: c.Metadata}
	for _, user := range c.Status.ReservedFor {
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{
			Resource: user.Resource, Name: user.Name, UID: types.UID(user.UID),
		})
	}
	allocation := c.Status.Allocation
	if allocation == nil {
		return claim
	}
	claim.Status.Allocation = &resourceapi.AllocationResult{NodeSelector: cmp.Or(allocation.NodeSelector, allocation.AvailableOnNodes)}
	if allocation.Devices == nil {
		return claim
	}
	for _, d := range allocation.Devices.Results {
		if slices.Contains(c.Spec.Devices.Requests, Request{d.Request, true}) {
			continue
		}
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results, resourceapi.DeviceRequestAllocationResult{
			Request: d.Request, Driver: d.Driver, Pool: d.Pool, Device: d.Device,
		})
	}
	return claim
}

// Request is a request for devices.
type Request struct {
	Name        string `json:"name"`
	AdminAccess bool   `json:"adminAccess"`
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

// SameDevices returns an error unless two states of a claim have the same devices.
func SameDevices(before, now Claim) error {
	was, is := before.Status.Allocation.names(), now.Status.Allocation.names()
	if !slices.Equal(was, is) {
		return fmt.Errorf("the claim has the devices %v, and should have %v", is, was)
	}
	return nil
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
