// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package inventory has the devices of a classic driver, and decides which of them
// a claim gets. It does not know who holds them.
package inventory

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/draconform/draconform/fakedriver/classic/internal/fault"
)

// NetworkPool is the pool of devices that any node can use.
const NetworkPool = "network"

// Inventory describes the devices of a driver. They exist only as numbers.
type Inventory struct {
	// Network is the number of devices that any node can use, such as those in a
	// separate enclosure. Default: 0.
	Network int `json:"network,omitempty"`
	// PerNode is the number of devices of each node, which only this node can use.
	// A driver has either these or network devices. Default: 0.
	PerNode int `json:"perNode,omitempty"`
	// Limit is the number of node-local devices that can be in use in the whole
	// cluster, as with licences. Default: no limit.
	Limit int `json:"limit,omitempty"`
	// Nodes are the labels of the nodes that have devices of their own or are
	// connected to those of the network. Two drivers with different labels must
	// agree on a node for a pod with a claim for each. Default: all nodes.
	Nodes map[string]string `json:"nodes,omitempty"`
}

// Validate returns an error if the inventory is invalid.
func (i Inventory) Validate() error {
	switch {
	case i.Network < 0 || i.PerNode < 0 || i.Limit < 0:
		return fmt.Errorf("numbers of devices must not be negative: network %d, perNode %d, limit %d", i.Network, i.PerNode, i.Limit)
	case i.Network > 0 && i.PerNode > 0:
		return fmt.Errorf("devices are either of the network or of nodes, not %d and %d of each node", i.Network, i.PerNode)
	case i.Limit > 0 && i.PerNode == 0:
		return fmt.Errorf("limit %d is for devices of nodes, of which there are none", i.Limit)
	}
	return nil
}

// Local reports whether each device can be used on one node only.
func (i Inventory) Local() bool { return i.PerNode > 0 }

// Device is a device of the driver.
type Device struct {
	// Pool is the name of its node, or [NetworkPool].
	Pool string `json:"pool"`
	Name string `json:"name"`
}

// String returns pool/name.
func (d Device) String() string { return d.Pool + "/" + d.Name }

// Node is a node that a claim may be allocated for.
type Node struct {
	Name   string
	Labels map[string]string
}

// Choose returns count devices for a node that are not in use. The error states why
// there are not so many.
func (i Inventory) Choose(node Node, count int, used map[Device]bool) ([]Device, error) {
	if !labels.SelectorFromSet(i.Nodes).Matches(labels.Set(node.Labels)) && !fault.IgnoresNodeLabels {
		return nil, fmt.Errorf("node %q has no devices: it does not have the labels %s", node.Name, labels.SelectorFromSet(i.Nodes))
	}
	pool, total := NetworkPool, i.Network
	if i.Local() {
		pool, total = node.Name, i.PerNode
	}
	if i.Limit > 0 && len(used)+count > i.Limit && !fault.IgnoresLimit {
		return nil, fmt.Errorf("resources exhausted in the cluster: %d of %d devices are in use, %d are requested", len(used), i.Limit, count)
	}
	var free []Device
	for n := range total {
		if d := (Device{Pool: pool, Name: fmt.Sprintf("device-%d", n)}); !used[d] {
			free = append(free, d)
		}
	}
	switch {
	case len(free) >= count:
		return free[:count], nil
	case i.Local():
		return nil, fmt.Errorf("resources exhausted on node %q: %d of %d devices are in use, %d are requested", node.Name, total-len(free), total, count)
	}
	return nil, fmt.Errorf("resources exhausted in the cluster: %d of %d devices are in use, %d are requested", total-len(free), total, count)
}
