// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package allocation is what the control plane controllers of classic drivers have in
// common, whatever the version of the resource API is that they are built for: it
// allocates claims for a pod, or as soon as they exist, answers which nodes are
// unsuitable, and frees devices.
package allocation

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/controller"

	"github.com/draconform/draconform/fakedriver/classic/assign"
	"github.com/draconform/draconform/fakedriver/classic/calls"
	"github.com/draconform/draconform/fakedriver/classic/command"
	"github.com/draconform/draconform/fakedriver/classic/internal/fault"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
	"github.com/draconform/draconform/fakedriver/classic/ledger"
)

// API reads and writes claims in one version of the resource API.
type API struct {
	// Get returns the metadata of a claim.
	Get func(ctx context.Context, namespace, name string) (*metav1.ObjectMeta, error)
	// Need adds to a claim what it needs of the driver.
	Need func(of *controller.ClaimAllocation, claim *assign.Claim) error
	// Allocate writes devices, which are available on some nodes, into an allocation.
	Allocate func(of *controller.ClaimAllocation, devices []inventory.Device, nodes *corev1.NodeSelector) error
	// Devices returns the devices in an allocation as pool/name.
	Devices func(of *controller.ClaimAllocation) []string
}

// Driver implements the methods of [controller.Driver] that have the same parameters in
// all versions.
type Driver struct {
	command.Parts

	api      API
	assigner assign.Assigner
}

// New returns a driver.
func New(p command.Parts, api API) *Driver {
	return &Driver{p, api, assign.Assigner{Client: p.Client, Inventory: p.Inventory, Ledger: p.Ledger, Claim: api.Get}}
}

// Allocate implements [controller.Driver]. Without a selected node, as for claims that do
// not depend on pods, the driver chooses one.
func (d *Driver) Allocate(ctx context.Context, claims []*controller.ClaimAllocation, selectedNode string) {
	var nodes []string
	if selectedNode != "" {
		nodes = []string{selectedNode}
	}
	err := d.Calls.Do(ctx, calls.Allocate, d.logged(claims), nodes, func() ([]calls.Claim, error) {
		err := d.allocate(ctx, claims, selectedNode)
		return d.logged(claims), err
	})
	for _, c := range claims {
		if err != nil {
			c.Allocation, c.Error = nil, err
		}
	}
}

func (d *Driver) allocate(ctx context.Context, claims []*controller.ClaimAllocation, node string) error {
	if node == "" && fault.WaitsForPods {
		return errors.New("there is no pod")
	}
	needs, err := d.needs(claims)
	if err != nil {
		return err
	}
	if node == "" || fault.IgnoresSelectedNode {
		return d.allocateAnywhere(ctx, claims, needs)
	}
	devices, err := d.assigner.Assign(ctx, needs, node)
	if err != nil {
		return err
	}
	for i, c := range claims {
		if err := d.api.Allocate(c, devices[i], d.assigner.NodeSelector(node)); err != nil {
			return err
		}
	}
	return nil
}

// allocateAnywhere allocates claims that may be available on different nodes.
func (d *Driver) allocateAnywhere(ctx context.Context, claims []*controller.ClaimAllocation, needs []assign.Claim) error {
	for i, need := range needs {
		node, devices, err := d.assigner.AssignAnywhere(ctx, need)
		if err != nil {
			return err
		}
		if err := d.api.Allocate(claims[i], devices, d.assigner.NodeSelector(node)); err != nil {
			return err
		}
	}
	return nil
}

// needs returns what claims need.
func (d *Driver) needs(claims []*controller.ClaimAllocation) ([]assign.Claim, error) {
	var all []assign.Claim
	for _, c := range claims {
		need := assign.Claim{Claim: ledger.Claim{Namespace: c.Claim.Namespace, Name: c.Claim.Name, UID: c.Claim.UID}}
		if err := d.api.Need(c, &need); err != nil {
			return nil, err
		}
		all = append(all, need)
	}
	return all, nil
}

// UnsuitableNodes implements [controller.Driver]. A node is unsuitable for all claims if
// it is not suitable for all of them together. No node suits claims that the driver does
// not support.
func (d *Driver) UnsuitableNodes(ctx context.Context, _ *corev1.Pod, claims []*controller.ClaimAllocation, potentialNodes []string) error {
	return d.Calls.Do(ctx, calls.UnsuitableNodes, d.logged(claims), potentialNodes, func() ([]calls.Claim, error) {
		unsuitable := potentialNodes
		if fault.ChecksOneNode {
			potentialNodes = potentialNodes[:min(1, len(potentialNodes))]
		}
		if needs, invalid := d.needs(claims); invalid == nil {
			var err error
			if unsuitable, err = d.assigner.Unsuitable(ctx, needs, potentialNodes); err != nil {
				return d.logged(claims), err
			}
		}
		switch {
		case fault.NeverAnswers:
			return d.logged(claims), errors.New("there is no answer")
		case fault.ExcludesNoNodes:
			unsuitable = nil
		}
		for _, c := range claims {
			c.UnsuitableNodes = append(c.UnsuitableNodes, unsuitable...)
		}
		return d.logged(claims), nil
	})
}

// Free frees the devices of a claim that is deallocated.
func (d *Driver) Free(ctx context.Context, claim *metav1.ObjectMeta) error {
	log := []calls.Claim{{Namespace: claim.Namespace, Name: claim.Name, UID: string(claim.UID)}}
	return d.Calls.Do(ctx, calls.Deallocate, log, nil, func() ([]calls.Claim, error) { return log, d.assigner.Free(ctx, claim.UID) })
}

// logged returns the claims of a call with their results so far.
func (d *Driver) logged(claims []*controller.ClaimAllocation) []calls.Claim {
	var all []calls.Claim
	for _, c := range claims {
		one := calls.Claim{Namespace: c.Claim.Namespace, Name: c.Claim.Name, UID: string(c.Claim.UID), Unsuitable: c.UnsuitableNodes}
		if c.Allocation != nil {
			one.Devices = d.api.Devices(c)
		}
		all = append(all, one)
	}
	return all
}
