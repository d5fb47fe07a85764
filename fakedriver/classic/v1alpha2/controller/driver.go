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
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/controller"

	"github.com/draconform/draconform/fakedriver/classic/assign"
	"github.com/draconform/draconform/fakedriver/classic/calls"
	"github.com/draconform/draconform/fakedriver/classic/command"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
	"github.com/draconform/draconform/fakedriver/classic/ledger"
)

// driver implements [controller.Driver].
type driver struct {
	command.Parts
	assigner assign.Assigner
}

var _ controller.Driver = &driver{}

func newDriver(p command.Parts) *driver {
	return &driver{p, assign.Assigner{Client: p.Client, Inventory: p.Inventory, Ledger: p.Ledger, UID: claimsOf(p.Client)}}
}

// claimsOf returns a function that returns the UIDs of claims.
func claimsOf(client kubernetes.Interface) func(context.Context, string, string) (types.UID, error) {
	return func(ctx context.Context, namespace, name string) (types.UID, error) {
		claim, err := client.ResourceV1alpha2().ResourceClaims(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		return claim.UID, nil
	}
}

// Run runs the controller until the context ends.
func Run(ctx context.Context, p command.Parts) { command.RunDriver(ctx, p, newDriver(p)) }

// Allocate implements [controller.Driver]. Without a selected node, the driver chooses
// one.
func (d *driver) Allocate(ctx context.Context, claims []*controller.ClaimAllocation, selectedNode string) {
	var nodes []string
	if selectedNode != "" {
		nodes = []string{selectedNode}
	}
	err := d.Calls.Do(ctx, calls.Allocate, logged(claims), nodes, func() ([]calls.Claim, error) {
		if selectedNode == "" {
			err := d.allocateAnywhere(ctx, claims)
			return logged(claims), err
		}
		err := d.allocate(ctx, claims, selectedNode)
		return logged(claims), err
	})
	for _, c := range claims {
		if err != nil {
			c.Allocation, c.Error = nil, err
		}
	}
}

func (d *driver) allocate(ctx context.Context, claims []*controller.ClaimAllocation, node string) error {
	devices, err := d.assigner.Assign(ctx, needs(claims), node)
	if err != nil {
		return err
	}
	for i, c := range claims {
		if c.Allocation, err = d.result(c, devices[i], node); err != nil {
			return err
		}
	}
	return nil
}

// allocateAnywhere allocates claims that do not depend on pods. They may be available on
// different nodes.
func (d *driver) allocateAnywhere(ctx context.Context, claims []*controller.ClaimAllocation) error {
	for i, need := range needs(claims) {
		node, devices, err := d.assigner.AssignAnywhere(ctx, need)
		if err != nil {
			return err
		}
		if claims[i].Allocation, err = d.result(claims[i], devices, node); err != nil {
			return err
		}
	}
	return nil
}

// needs returns what claims need. Each needs one device. The parameters of the claim are
// added to those of the class. Without room for them in the data for the plugin, a claim
// gets no devices.
func needs(claims []*controller.ClaimAllocation) []assign.Claim {
	var all []assign.Claim
	for _, c := range claims {
		class, claim := of(c.ClassParameters), of(c.ClaimParameters)
		need := assign.Claim{
			Claim:      ledger.Claim{Namespace: c.Claim.Namespace, Name: c.Claim.Name, UID: c.Claim.UID},
			Parameters: class.Parameters, Count: 1,
			Check: func(devices []inventory.Device) error { _, err := encode(c, devices); return err },
		}
		need.Merge(claim.Parameters)
		all = append(all, need)
	}
	return all
}

// of returns parameters that the driver has read.
func of(read any) parameters {
	p, _ := read.(parameters)
	return p
}

// encode returns the data for the plugin.
func encode(c *controller.ClaimAllocation, devices []inventory.Device) (string, error) {
	return data{Devices: devices, Class: of(c.ClassParameters).raw, Claim: of(c.ClaimParameters).raw}.encode()
}

// result returns the allocation of a claim.
func (d *driver) result(c *controller.ClaimAllocation, devices []inventory.Device, node string) (*resourceapi.AllocationResult, error) {
	encoded, err := encode(c, devices)
	if err != nil {
		return nil, err
	}
	return &resourceapi.AllocationResult{
		AvailableOnNodes: d.assigner.NodeSelector(node), Shareable: true,
		ResourceHandles: []resourceapi.ResourceHandle{{DriverName: d.Name, Data: encoded}},
	}, nil
}

// Deallocate implements [controller.Driver].
func (d *driver) Deallocate(ctx context.Context, claim *resourceapi.ResourceClaim) error {
	log := []calls.Claim{{Namespace: claim.Namespace, Name: claim.Name, UID: string(claim.UID)}}
	return d.Calls.Do(ctx, calls.Deallocate, log, nil, func() ([]calls.Claim, error) { return log, d.assigner.Free(ctx, claim.UID) })
}

// UnsuitableNodes implements [controller.Driver]. A node is unsuitable for all claims if
// it is not suitable for all of them together.
func (d *driver) UnsuitableNodes(ctx context.Context, _ *corev1.Pod, claims []*controller.ClaimAllocation, potentialNodes []string) error {
	return d.Calls.Do(ctx, calls.UnsuitableNodes, logged(claims), potentialNodes, func() ([]calls.Claim, error) {
		unsuitable, err := d.assigner.Unsuitable(ctx, needs(claims), potentialNodes)
		for _, c := range claims {
			c.UnsuitableNodes = append(c.UnsuitableNodes, unsuitable...)
		}
		return logged(claims), err
	})
}

// logged returns the claims of a call with their results so far.
func logged(claims []*controller.ClaimAllocation) []calls.Claim {
	var all []calls.Claim
	for _, c := range claims {
		one := calls.Claim{Namespace: c.Claim.Namespace, Name: c.Claim.Name, UID: string(c.Claim.UID), Unsuitable: c.UnsuitableNodes}
		if c.Allocation != nil {
			for _, handle := range c.Allocation.ResourceHandles {
				one.Devices = append(one.Devices, devicesIn(handle.Data)...)
			}
		}
		all = append(all, one)
	}
	return all
}
