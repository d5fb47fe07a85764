// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
)

// node is the node that this daemon runs on.
type node struct {
	name   string
	lister corelisters.NodeLister
	cniDir string
	routes routes
}

// routes manages the routes to the pods of other nodes.
type routes interface {
	// replace creates or updates the route to a subnet through via.
	replace(to *net.IPNet, via net.IP) error
	// prune removes the daemon's routes whose destinations are not in keep.
	prune(keep []*net.IPNet) error
}

// sync writes the CNI configuration and the routes for the current nodes. It
// skips nodes without a pod CIDR. A later change of such a node triggers
// another sync.
func (n *node) sync() error {
	nodes, err := n.lister.List(labels.Everything())
	if err != nil {
		return err
	}
	var errs []error
	var keep []*net.IPNet
	for _, other := range nodes {
		if other.Spec.PodCIDR == "" {
			continue
		}
		_, podCIDR, err := net.ParseCIDR(other.Spec.PodCIDR)
		if err != nil {
			errs = append(errs, fmt.Errorf("node %s: pod CIDR: %w", other.Name, err))
			continue
		}
		if other.Name == n.name {
			errs = append(errs, n.writeConfig(podCIDR))
			continue
		}
		via := internalIP(other)
		if via == nil {
			continue
		}
		keep = append(keep, podCIDR)
		if err := n.routes.replace(podCIDR, via); err != nil {
			errs = append(errs, fmt.Errorf("route to the pods of node %s: %w", other.Name, err))
		}
	}
	return errors.Join(append(errs, n.routes.prune(keep))...)
}

// internalIP returns a node's IPv4 address on the network that the nodes share.
func internalIP(n *corev1.Node) net.IP {
	i := slices.IndexFunc(n.Status.Addresses, func(a corev1.NodeAddress) bool {
		return a.Type == corev1.NodeInternalIP && net.ParseIP(a.Address).To4() != nil
	})
	if i < 0 {
		return nil
	}
	return net.ParseIP(n.Status.Addresses[i].Address)
}

// conflist is the CNI configuration of a node. Each pod has a veth pair with an
// address of the node's pod CIDR, and host ports.
const conflist = `{
  "cniVersion": "1.0.0",
  "name": "podroutes",
  "plugins": [
    {"type": "ptp", "ipMasq": false, "ipam": {"type": "host-local", "dataDir": "/run/cni-ipam-state", "routes": [{"dst": "0.0.0.0/0"}], "ranges": [[{"subnet": %q}]]}},
    {"type": "portmap", "capabilities": {"portMappings": true}}
  ]
}
`

// writeConfig writes the CNI configuration unless it is up to date. It writes a
// temporary file and renames it, so that the container runtime never reads an
// incomplete file.
func (n *node) writeConfig(podCIDR *net.IPNet) error {
	path := filepath.Join(n.cniDir, "10-podroutes.conflist")
	want := fmt.Sprintf(conflist, podCIDR)
	if got, err := os.ReadFile(path); err == nil && string(got) == want {
		return nil
	}
	temp := path + ".temp"
	if err := os.WriteFile(temp, []byte(want), 0o644); err != nil {
		return fmt.Errorf("write the CNI configuration: %w", err)
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("write the CNI configuration: %w", err)
	}
	slog.Info("wrote the CNI configuration", "path", path, "podCIDR", podCIDR.String())
	return nil
}
