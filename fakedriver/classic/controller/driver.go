// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package controller is the control plane controller of a classic driver: it answers
// which nodes are unsuitable for claims, and allocates and deallocates them.
package controller

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1alpha3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/controller"

	"github.com/draconform/draconform/fakedriver/classic/calls"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
	"github.com/draconform/draconform/fakedriver/classic/ledger"
)

// Driver implements [controller.Driver]. All of its state is in the API server.
type Driver struct {
	// Name is the name of the driver, as in spec.controller of claims.
	Name   string
	Client kubernetes.Interface
	// Inventory returns the devices.
	Inventory func() inventory.Inventory
	Ledger    ledger.Ledger
	Calls     *calls.Recorder
}

var _ controller.Driver = &Driver{}

// Allocate implements [controller.Driver]. Either all of a pod's claims get devices, or
// none. A claim that holds devices already, because the driver was killed before the
// claim had its allocation, keeps them if they are for the node.
func (d *Driver) Allocate(ctx context.Context, claims []*controller.ClaimAllocation, selectedNode string) {
	err := d.Calls.Do(ctx, calls.Allocate, logged(claims), []string{selectedNode}, func() ([]calls.Claim, error) {
		if err := d.allocate(ctx, claims, selectedNode); err != nil {
			return logged(claims), err
		}
		return logged(claims), nil
	})
	for _, c := range claims {
		if err != nil {
			c.Allocation, c.Error = nil, err
		}
	}
}

func (d *Driver) allocate(ctx context.Context, claims []*controller.ClaimAllocation, selectedNode string) error {
	node, err := d.node(ctx, selectedNode)
	if err != nil {
		return err
	}
	if err := d.dropOrphans(ctx); err != nil {
		return err
	}
	chosen := map[types.UID][]inventory.Device{}
	requests := map[types.UID]inventory.Request{}
	err = d.Ledger.Change(ctx, func(held ledger.Held) error {
		clear(chosen)
		for _, c := range claims {
			request, devices, err := d.choose(c, node, held)
			if err != nil {
				return err
			}
			d.hold(held, c.Claim, devices)
			chosen[c.Claim.UID], requests[c.Claim.UID] = devices, request
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range claims {
		c.Allocation = d.result(requests[c.Claim.UID], chosen[c.Claim.UID], node)
	}
	return nil
}

// choose returns the devices of a claim on a node: those that it holds, or others.
func (d *Driver) choose(c *controller.ClaimAllocation, node inventory.Node, held ledger.Held) (inventory.Request, []inventory.Device, error) {
	request, err := inventory.Read(d.Name, c.Claim, c.DeviceClasses)
	if err != nil {
		return request, nil, err
	}
	if err := request.Allows(node.Name); err != nil {
		return request, nil, err
	}
	own := held.Of(c.Claim.UID)
	if len(own) == len(request.Names) && (!d.Inventory().Local() || len(own) == 0 || own[0].Pool == node.Name) {
		return request, own, nil
	}
	devices, err := d.Inventory().Choose(node, len(request.Names), held.Used(c.Claim.UID))
	if err != nil && request.Optional {
		return request, nil, nil
	}
	return request, devices, err
}

// hold replaces the devices of a claim.
func (d *Driver) hold(held ledger.Held, claim *resourceapi.ResourceClaim, devices []inventory.Device) {
	for _, old := range held.Of(claim.UID) {
		delete(held, old)
	}
	for _, device := range devices {
		held[device] = ledger.Claim{Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID}
	}
}

// result returns the allocation of a claim. Devices of a node are available there only,
// those of the network on all nodes that are connected to it.
func (d *Driver) result(request inventory.Request, devices []inventory.Device, node inventory.Node) *resourceapi.AllocationResult {
	result := &resourceapi.AllocationResult{}
	for i, device := range devices {
		result.Devices.Results = append(result.Devices.Results, resourceapi.DeviceRequestAllocationResult{
			Request: request.Names[i], Driver: d.Name, Pool: device.Pool, Device: device.Name,
		})
	}
	result.Devices.Config = request.Config
	term := corev1.NodeSelectorTerm{}
	if d.Inventory().Local() {
		term.MatchFields = []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node.Name}}}
	}
	for key, value := range d.Inventory().Nodes {
		term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}})
	}
	if len(term.MatchFields)+len(term.MatchExpressions) > 0 {
		result.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}
	}
	return result
}

// Deallocate implements [controller.Driver].
func (d *Driver) Deallocate(ctx context.Context, claim *resourceapi.ResourceClaim) error {
	log := []calls.Claim{{Namespace: claim.Namespace, Name: claim.Name, UID: string(claim.UID)}}
	return d.Calls.Do(ctx, calls.Deallocate, log, nil, func() ([]calls.Claim, error) {
		return log, d.Ledger.Change(ctx, func(held ledger.Held) error {
			d.hold(held, claim, nil)
			return nil
		})
	})
}

// UnsuitableNodes implements [controller.Driver]. A node is unsuitable for all claims if
// it is unsuitable for one, or if it is not for all of them together.
func (d *Driver) UnsuitableNodes(ctx context.Context, _ *corev1.Pod, claims []*controller.ClaimAllocation, potentialNodes []string) error {
	return d.Calls.Do(ctx, calls.UnsuitableNodes, logged(claims), potentialNodes, func() ([]calls.Claim, error) {
		if err := d.dropOrphans(ctx); err != nil {
			return logged(claims), err
		}
		held, err := d.Ledger.Read(ctx)
		if err != nil {
			return logged(claims), err
		}
		for _, name := range potentialNodes {
			suitable, err := d.suitable(ctx, claims, name, held)
			if err != nil {
				return logged(claims), err
			}
			for _, c := range claims {
				if !suitable {
					c.UnsuitableNodes = append(c.UnsuitableNodes, name)
				}
			}
		}
		return logged(claims), nil
	})
}

// suitable reports whether all claims fit on a node together.
func (d *Driver) suitable(ctx context.Context, claims []*controller.ClaimAllocation, name string, held ledger.Held) (bool, error) {
	node, err := d.node(ctx, name)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	with := ledger.Held{}
	maps.Copy(with, held)
	for _, c := range claims {
		_, devices, err := d.choose(c, node, with)
		if err != nil {
			return false, nil //nolint:nilerr // It is why the node is unsuitable.
		}
		d.hold(with, c.Claim, devices)
	}
	return true, nil
}

func (d *Driver) node(ctx context.Context, name string) (inventory.Node, error) {
	node, err := d.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return inventory.Node{}, fmt.Errorf("get the node of an allocation: %w", err)
	}
	return inventory.Node{Name: node.Name, Labels: node.Labels}, nil
}

// dropOrphans removes the devices of claims that no longer exist, although the driver
// has not deallocated them: somebody has removed its finalizer.
func (d *Driver) dropOrphans(ctx context.Context) error {
	held, err := d.Ledger.Read(ctx)
	if err != nil {
		return err
	}
	gone := map[types.UID]bool{}
	for _, by := range held {
		claim, err := d.Client.ResourceV1alpha3().ResourceClaims(by.Namespace).Get(ctx, by.Name, metav1.GetOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("get the claim that holds a device: %w", err)
		}
		gone[by.UID] = err != nil || claim.UID != by.UID
	}
	return d.Ledger.Change(ctx, func(held ledger.Held) error {
		for device, by := range held {
			if gone[by.UID] {
				delete(held, device)
			}
		}
		return nil
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
