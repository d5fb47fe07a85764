// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package controller is the control plane controller of a classic driver for Kubernetes
// 1.30: it allocates claims as soon as they exist, or answers which nodes are unsuitable
// and allocates them for a pod, and deallocates them.
package controller

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/controller"

	"github.com/draconform/draconform/fakedriver/classic/allocation"
	"github.com/draconform/draconform/fakedriver/classic/assign"
	"github.com/draconform/draconform/fakedriver/classic/command"
	"github.com/draconform/draconform/fakedriver/classic/internal/fault"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
	"github.com/draconform/draconform/fakedriver/classic/v1alpha2/handle"
)

// driver implements [controller.Driver].
type driver struct{ *allocation.Driver }

var _ controller.Driver = driver{}

// Run runs the controller until the context ends.
func Run(ctx context.Context, p command.Parts) { command.RunDriver(ctx, p, newDriver(p)) }

func newDriver(p command.Parts) driver {
	api := allocation.API{Need: need, Allocate: allocates(p.Name), Devices: devicesOf}
	api.Get = func(ctx context.Context, namespace, name string) (*metav1.ObjectMeta, error) {
		claim, err := p.Client.ResourceV1alpha2().ResourceClaims(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return &claim.ObjectMeta, nil
	}
	return driver{allocation.New(p, api)}
}

// need adds what a claim needs: one device. The parameters of the claim are added to those
// of the class. Without room for them in the data for the plugin, the claim gets none.
func need(of *controller.ClaimAllocation, claim *assign.Claim) error {
	if !fault.IgnoresClassParameters {
		claim.Parameters = parametersIn(of.ClassParameters).Parameters
	}
	if !fault.IgnoresClaimParameters {
		claim.Merge(parametersIn(of.ClaimParameters).Parameters)
	}
	claim.Count = 1
	claim.Check = func(devices []inventory.Device) error { _, err := dataOf(of, devices).Encode(); return err }
	return nil
}

// dataOf returns the data for the plugin.
func dataOf(of *controller.ClaimAllocation, devices []inventory.Device) handle.Data {
	return handle.Data{Devices: devices, Class: parametersIn(of.ClassParameters).raw, Claim: parametersIn(of.ClaimParameters).raw}
}

// parametersIn returns parameters that the driver has read.
func parametersIn(read any) parameters {
	p, _ := read.(parameters)
	return p
}

// allocates returns a function that writes the allocation of a claim.
func allocates(driver string) func(*controller.ClaimAllocation, []inventory.Device, *corev1.NodeSelector) error {
	return func(of *controller.ClaimAllocation, devices []inventory.Device, nodes *corev1.NodeSelector) error {
		encoded, err := dataOf(of, devices).Encode()
		if err != nil {
			return err
		}
		of.Allocation = &resourceapi.AllocationResult{
			AvailableOnNodes: nodes, Shareable: true,
			ResourceHandles: []resourceapi.ResourceHandle{{DriverName: driver, Data: encoded}},
		}
		return nil
	}
}

// devicesOf returns the devices in an allocation as pool/name.
func devicesOf(of *controller.ClaimAllocation) []string {
	var names []string
	for _, h := range of.Allocation.ResourceHandles {
		// The driver has encoded it. If it has not, it has no devices.
		data, _ := handle.Decode(h.Data)
		for _, device := range data.Devices {
			names = append(names, device.String())
		}
	}
	return names
}

// Deallocate implements [controller.Driver].
func (d driver) Deallocate(ctx context.Context, claim *resourceapi.ResourceClaim) error {
	return d.Free(ctx, &claim.ObjectMeta)
}
