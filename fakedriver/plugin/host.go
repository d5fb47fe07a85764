// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/devenv"
	"github.com/draconform/draconform/fakedriver/publish"
	"github.com/draconform/draconform/fakedriver/topology"
	"github.com/draconform/draconform/internal/fault"
)

// source returns the source of the devices that claims are prepared with.
func (i *instance) source(compiled *content) claims.Source {
	if compiled.topology == nil {
		return claims.Fixed(publish.PoolName(i.config.NodeName), compiled.inventory)
	}
	return func(ctx context.Context) (claims.Devices, error) {
		hosts, err := i.hosts(ctx, compiled)
		if err != nil {
			return claims.Devices{}, err
		}
		number, err := hosts.numberOf(i.config.NodeName, compiled.topology.Name())
		if err != nil {
			return claims.Devices{}, err
		}
		return hosts.devices(compiled.topology, number), nil
	}
}

// hosts maps host numbers of a topology to node names. problems explains why
// hosts may be missing.
type hosts struct {
	nodes    map[int]string
	problems []string
}

// hosts assigns nodes to the hosts of the topology with the same algorithm as
// the controller. It lists nodes on every call, because nodes may get their
// labels while the driver is running.
func (i *instance) hosts(ctx context.Context, compiled *content) (hosts, error) {
	options := metav1.ListOptions{}
	if !compiled.assignByName {
		options.LabelSelector = compiled.topology.Nodes().Label
	}
	list, err := i.config.Client.CoreV1().Nodes().List(ctx, options)
	if err != nil {
		return hosts{}, fmt.Errorf("list the hosts of topology %s: %w", compiled.topology.Name(), err)
	}
	nodes := make([]*corev1.Node, len(list.Items))
	for n := range list.Items {
		nodes[n] = &list.Items[n]
	}
	assigned, problems := compiled.topology.Assign(nodes, compiled.assignByName)
	out := hosts{nodes: map[int]string{}, problems: problems}
	for number, node := range assigned {
		out.nodes[number] = node.Name
	}
	return out, nil
}

func (h hosts) numberOf(node, topology string) (int, error) {
	for number, name := range h.nodes {
		if name == node {
			return number, nil
		}
	}
	return 0, fmt.Errorf("node %s is not a host of topology %s%s", node, topology, h.because())
}

func (h hosts) because() string {
	if len(h.problems) == 0 {
		return ""
	}
	return ": " + strings.Join(h.problems, "; ")
}

// devices returns the devices of the host with the number. A device with a
// missing host cannot be prepared, because the containers of its hosts could
// not find each other.
func (h hosts) devices(of *topology.Topology, number int) claims.Devices {
	host := of.Host(number)
	out := claims.Devices{Pool: of.Name(), Inventory: host.Inventory, Parts: map[string]devenv.Part{}, Rejected: map[string]string{}}
	for device, numbers := range host.Elsewhere {
		out.Rejected[device] = fmt.Sprintf("it spans hosts %s of topology %s, this node is host %d", list(numbers), of.Name(), number)
	}
	for device, part := range host.Parts {
		var names []string
		for _, spanned := range part.Hosts {
			name, ok := h.nodes[spanned]
			if !ok {
				out.Rejected[device] = fmt.Sprintf("it spans host %d of topology %s, which has no node%s", spanned, of.Name(), h.because())
			}
			names = append(names, name)
		}
		own := slices.Index(part.Hosts, number)
		switch {
		case fault.ShowsPartOfFirstHost:
			own = 0
		case fault.NumbersHostsInTopology:
			own = number
		case fault.ListsOwnHostFirst:
			names, own = slices.Concat(names[own:], names[:own]), 0
		}
		out.Parts[device] = devenv.Part{Shape: part.Shape, Hosts: names, Host: own, Chips: part.Chips}
	}
	return out
}

func list(numbers []int) string {
	words := make([]string, len(numbers))
	for i, number := range numbers {
		words[i] = strconv.Itoa(number)
	}
	return strings.Join(words, ", ")
}
