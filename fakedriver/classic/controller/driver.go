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
		claim, err := client.ResourceV1alpha3().ResourceClaims(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		return claim.UID, nil
	}
}

// Run runs the controller until the context ends.
func Run(ctx context.Context, p command.Parts) { command.RunDriver(ctx, p, newDriver(p)) }

// Allocate implements [controller.Driver].
func (d *driver) Allocate(ctx context.Context, claims []*controller.ClaimAllocation, selectedNode string) {
	err := d.Calls.Do(ctx, calls.Allocate, logged(claims), []string{selectedNode}, func() ([]calls.Claim, error) {
		err := d.allocate(ctx, claims, selectedNode)
		return logged(claims), err
	})
	for _, c := range claims {
		if err != nil {
			c.Allocation, c.Error = nil, err
		}
	}
}

func (d *driver) allocate(ctx context.Context, claims []*controller.ClaimAllocation, selectedNode string) error {
	requests, needs, err := d.read(claims)
	if err != nil {
		return err
	}
	devices, err := d.assigner.Assign(ctx, needs, selectedNode)
	if err != nil {
		return err
	}
	for i, c := range claims {
		c.Allocation = d.result(requests[i], devices[i], selectedNode)
	}
	return nil
}

// read returns what claims need.
func (d *driver) read(claims []*controller.ClaimAllocation) ([]request, []assign.Claim, error) {
	var requests []request
	var needs []assign.Claim
	for _, c := range claims {
		r, err := readRequest(d.Name, c.Claim, c.DeviceClasses)
		if err != nil {
			return nil, nil, err
		}
		requests = append(requests, r)
		needs = append(needs, assign.Claim{
			Claim:      ledger.Claim{Namespace: c.Claim.Namespace, Name: c.Claim.Name, UID: c.Claim.UID},
			Parameters: r.Parameters, Count: len(r.names),
		})
	}
	return requests, needs, nil
}

// result returns the allocation of a claim.
func (d *driver) result(of request, devices []inventory.Device, node string) *resourceapi.AllocationResult {
	result := &resourceapi.AllocationResult{NodeSelector: d.assigner.NodeSelector(node)}
	for i, device := range devices {
		result.Devices.Results = append(result.Devices.Results, resourceapi.DeviceRequestAllocationResult{
			Request: of.names[i], Driver: d.Name, Pool: device.Pool, Device: device.Name,
		})
	}
	result.Devices.Config = of.config
	return result
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
		unsuitable := potentialNodes
		// No node suits claims that the driver does not support.
		if _, needs, invalid := d.read(claims); invalid == nil {
			var err error
			if unsuitable, err = d.assigner.Unsuitable(ctx, needs, potentialNodes); err != nil {
				return logged(claims), err
			}
		}
		for _, c := range claims {
			c.UnsuitableNodes = append(c.UnsuitableNodes, unsuitable...)
		}
		return logged(claims), nil
	})
}

// logged returns the claims of a call with their results so far.
func logged(claims []*controller.ClaimAllocation) []calls.Claim {
	var all []calls.Claim
	for _, c := range claims {
		one := calls.Claim{Namespace: c.Claim.Namespace, Name: c.Claim.Name, UID: string(c.Claim.UID), Unsuitable: c.UnsuitableNodes}
		if c.Allocation != nil {
			for _, r := range c.Allocation.Devices.Results {
				one.Devices = append(one.Devices, r.Pool+"/"+r.Device)
			}
		}
		all = append(all, one)
	}
	return all
}
