// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package assign

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/classic/internal/fault"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
)

func (a *Assigner) node(ctx context.Context, name string) (inventory.Node, error) {
	node, err := a.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return inventory.Node{}, fmt.Errorf("get the node of an allocation: %w", err)
	}
	return inventory.Node{Name: node.Name, Labels: node.Labels}, nil
}

// controlPlane is the label of nodes of the control plane, as kubeadm sets it.
const controlPlane = "node-role.kubernetes.io/control-plane"

// workers returns the nodes that have devices although no pod has been scheduled to them: all but
// those of the control plane, whose taint keeps pods away.
func (a *Assigner) workers(ctx context.Context) ([]inventory.Node, error) {
	list, err := a.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: "!" + controlPlane})
	if err != nil {
		return nil, fmt.Errorf("list the nodes for an allocation: %w", err)
	}
	var nodes []inventory.Node
	for _, node := range list.Items {
		nodes = append(nodes, inventory.Node{Name: node.Name, Labels: node.Labels})
	}
	return nodes, nil
}

// NodeSelector returns the nodes on which devices are available that were assigned for a
// node, or nil for all. Devices of a node are available there only, those of the network
// on all nodes that are connected to it.
func (a *Assigner) NodeSelector(node string) *corev1.NodeSelector {
	devices := a.Inventory()
	term := corev1.NodeSelectorTerm{}
	if devices.Local() || fault.ConfinesNetworkDevices {
		term.MatchFields = []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}
	}
	for _, key := range slices.Sorted(maps.Keys(devices.Nodes)) {
		term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{devices.Nodes[key]}})
	}
	if len(term.MatchFields)+len(term.MatchExpressions) == 0 || fault.OffersDevicesAnywhere {
		return nil
	}
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}
}

// rank sorts the node of a device before others.
func rank(device inventory.Device, node inventory.Node) int {
	if device.Pool == node.Name {
		return 0
	}
	return 1
}
