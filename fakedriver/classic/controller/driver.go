// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package controller is the control plane controller of a classic driver for Kubernetes
// 1.31: it answers which nodes are unsuitable for claims, and allocates and deallocates
// them.
package controller

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/controller"

	"github.com/draconform/draconform/fakedriver/classic/allocation"
	"github.com/draconform/draconform/fakedriver/classic/assign"
	"github.com/draconform/draconform/fakedriver/classic/command"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
)

// driver implements [controller.Driver].
type driver struct{ *allocation.Driver }

var _ controller.Driver = driver{}

// Run runs the controller until the context ends.
func Run(ctx context.Context, p command.Parts) {
	api := allocation.API{Need: needs(p.Name), Allocate: allocates(p.Name), Devices: devicesOf}
	api.Get = func(ctx context.Context, namespace, name string) (*metav1.ObjectMeta, error) {
		claim, err := p.Client.ResourceV1alpha3().ResourceClaims(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return &claim.ObjectMeta, nil
	}
	command.RunDriver(ctx, p, driver{allocation.New(p, api)})
}

// needs returns a function that adds what a claim needs of a driver.
func needs(driver string) func(*controller.ClaimAllocation, *assign.Claim) error {
	return func(of *controller.ClaimAllocation, claim *assign.Claim) error {
		r, err := readRequest(driver, of.Claim, of.DeviceClasses)
		claim.Parameters, claim.Count = r.Parameters, len(r.names)
		return err
	}
}

// allocates returns a function that writes the allocation of a claim.
func allocates(driver string) func(*controller.ClaimAllocation, []inventory.Device, *corev1.NodeSelector) error {
	return func(of *controller.ClaimAllocation, devices []inventory.Device, nodes *corev1.NodeSelector) error {
		r, err := readRequest(driver, of.Claim, of.DeviceClasses)
		if err != nil {
			return err
		}
		of.Allocation = &resourceapi.AllocationResult{NodeSelector: nodes}
		for i, device := range devices {
			of.Allocation.Devices.Results = append(of.Allocation.Devices.Results, resourceapi.DeviceRequestAllocationResult{
				Request: r.names[i], Driver: driver, Pool: device.Pool, Device: device.Name,
			})
		}
		of.Allocation.Devices.Config = r.config
		return nil
	}
}

func devicesOf(of *controller.ClaimAllocation) []string {
	var names []string
	for _, r := range of.Allocation.Devices.Results {
		names = append(names, r.Pool+"/"+r.Device)
	}
	return names
}

// Deallocate implements [controller.Driver].
func (d driver) Deallocate(ctx context.Context, claim *resourceapi.ResourceClaim) error {
	return d.Free(ctx, &claim.ObjectMeta)
}
