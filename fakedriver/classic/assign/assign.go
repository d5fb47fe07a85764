// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package assign assigns the devices of a classic driver to claims. It does not depend
// on a version of the resource API: drivers for several releases use it.
package assign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/fakedriver/classic/internal/fault"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
	"github.com/draconform/draconform/fakedriver/classic/ledger"
)

// Claim is a claim and what it needs.
type Claim struct {
	ledger.Claim
	inventory.Parameters

	// Count is the number of devices.
	Count int
	// Check returns why the claim cannot have devices, although they are free. Nothing is
	// stored then. Default: it can have any.
	Check func([]inventory.Device) error
}

// Assigner assigns devices. All of its state is in the API server.
type Assigner struct {
	Client kubernetes.Interface
	// Inventory returns the devices.
	Inventory func() inventory.Inventory
	Ledger    ledger.Ledger
	// Claim returns the metadata of a claim, in the API of the release.
	Claim func(ctx context.Context, namespace, name string) (*metav1.ObjectMeta, error)
}

// Assign assigns devices to claims on a node. Either all of them get devices, or none. A
// claim that holds devices already, because the driver was killed before the claim had
// its allocation, keeps them if they are for the node.
func (a *Assigner) Assign(ctx context.Context, claims []Claim, name string) ([][]inventory.Device, error) {
	node, err := a.node(ctx, name)
	if err != nil {
		return nil, err
	}
	return a.assign(ctx, func(held ledger.Held) ([][]inventory.Device, error) { return a.chooseAll(claims, node, held) })
}

// AssignAnywhere assigns devices to a claim on the first worker node that has them. A claim that
// holds devices already keeps them.
func (a *Assigner) AssignAnywhere(ctx context.Context, claim Claim) (node string, devices []inventory.Device, err error) {
	nodes, err := a.workers(ctx)
	if err != nil {
		return "", nil, err
	}
	all, err := a.assign(ctx, func(held ledger.Held) ([][]inventory.Device, error) {
		candidates := slices.Clone(nodes)
		if own := held.Of(claim.UID); len(own) > 0 {
			slices.SortStableFunc(candidates, func(x, y inventory.Node) int { return cmp.Compare(rank(own[0], x), rank(own[0], y)) })
		}
		// An optional claim goes without devices only if no node has any.
		required := claim
		required.Optional = false
		chosen, on, err := a.chooseFirst(required, candidates, held)
		if err != nil && claim.Optional {
			chosen, on, err = a.chooseFirst(claim, candidates, held)
		}
		node = on
		return chosen, err
	})
	if err != nil {
		return "", nil, err
	}
	return node, all[0], nil
}

// chooseFirst chooses devices for a claim on the first of the nodes that has them.
func (a *Assigner) chooseFirst(claim Claim, nodes []inventory.Node, held ledger.Held) (chosen [][]inventory.Device, node string, err error) {
	err = errors.New("there are no nodes")
	for _, candidate := range nodes {
		if chosen, err = a.chooseAll([]Claim{claim}, candidate, held); err == nil {
			return chosen, candidate.Name, nil
		}
	}
	return nil, "", err
}

// assign stores what choose adds to the devices in use.
func (a *Assigner) assign(ctx context.Context, choose func(ledger.Held) ([][]inventory.Device, error)) (all [][]inventory.Device, err error) {
	if err := a.dropOrphans(ctx); err != nil {
		return nil, err
	}
	err = a.Ledger.Change(ctx, func(held ledger.Held) (err error) {
		all, err = choose(held)
		return err
	})
	return all, err
}

// chooseAll chooses devices of a node for claims and adds them to those in use.
func (a *Assigner) chooseAll(claims []Claim, node inventory.Node, held ledger.Held) ([][]inventory.Device, error) {
	var all [][]inventory.Device
	for _, claim := range claims {
		devices, err := a.choose(claim, node, held)
		if err == nil && claim.Check != nil {
			err = claim.Check(devices)
		}
		if err != nil {
			return nil, err
		}
		hold(held, claim.Claim, devices)
		all = append(all, devices)
	}
	return all, nil
}

// choose returns the devices of a claim on a node: those that it holds, or others.
func (a *Assigner) choose(claim Claim, node inventory.Node, held ledger.Held) ([]inventory.Device, error) {
	if err := claim.Allows(node.Name); err != nil {
		return nil, err
	}
	devices := a.Inventory()
	own := held.Of(claim.UID)
	if len(own) == claim.Count && (!devices.Local() || len(own) == 0 || own[0].Pool == node.Name) {
		return own, nil
	}
	used := held.Used(claim.UID)
	if fault.GivesDevicesTwice {
		used = nil
	}
	chosen, err := devices.Choose(node, claim.Count, used)
	if err != nil && claim.Optional {
		return nil, nil
	}
	return chosen, err
}

// hold replaces the devices of a claim.
func hold(held ledger.Held, claim ledger.Claim, devices []inventory.Device) {
	for _, old := range held.Of(claim.UID) {
		delete(held, old)
	}
	for _, device := range devices {
		held[device] = claim
	}
}

// Free frees the devices of a claim.
func (a *Assigner) Free(ctx context.Context, claim types.UID) error {
	if fault.KeepsFreedDevices {
		return nil
	}
	return a.Ledger.Change(ctx, func(held ledger.Held) error {
		hold(held, ledger.Claim{UID: claim}, nil)
		if fault.FreesAllDevices {
			clear(held)
		}
		return nil
	})
}

// Unsuitable returns the nodes on which claims do not fit together.
func (a *Assigner) Unsuitable(ctx context.Context, claims []Claim, nodes []string) ([]string, error) {
	if err := a.dropOrphans(ctx); err != nil {
		return nil, err
	}
	held, err := a.Ledger.Read(ctx)
	if err != nil {
		return nil, err
	}
	var unsuitable []string
	for _, name := range nodes {
		node, err := a.node(ctx, name)
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, err
		}
		if err == nil {
			_, err = a.chooseAll(claims, node, maps.Clone(held))
		}
		if err != nil {
			unsuitable = append(unsuitable, name)
		}
	}
	return unsuitable, nil
}

// dropOrphans removes the devices of claims that no longer exist, although the driver
// has not deallocated them: somebody has removed its finalizer.
func (a *Assigner) dropOrphans(ctx context.Context) error {
	held, err := a.Ledger.Read(ctx)
	if err != nil {
		return err
	}
	gone := map[types.UID]bool{}
	for _, by := range held {
		claim, err := a.Claim(ctx, by.Namespace, by.Name)
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("get the claim that holds a device: %w", err)
		}
		gone[by.UID] = err != nil || claim.UID != by.UID || fault.FreesDevicesInUse && claim.DeletionTimestamp != nil
		if fault.KeepsFreedDevices {
			gone[by.UID] = false
		}
	}
	return a.Ledger.Change(ctx, func(held ledger.Held) error {
		maps.DeleteFunc(held, func(_ inventory.Device, by ledger.Claim) bool { return gone[by.UID] })
		return nil
	})
}
