// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kind/pkg/cluster/nodes"

	"github.com/draconform/draconform/clusters/engine"
)

// Engine returns the container engine that runs the nodes.
func (p *Provider) Engine() *engine.Engine { return p.engine }

// Run returns the id of the run that the cluster belongs to.
func (p *Provider) Run() string { return p.options.Run }

// ControlPlaneNode returns the name of the control plane node. A cluster has one.
func (p *Provider) ControlPlaneNode() string { return p.options.Name + "-control-plane" }

// NodeNames returns the sorted names of the cluster's nodes. The containers of the nodes have the same names.
func (p *Provider) NodeNames(ctx context.Context) ([]string, error) {
	all, err := List(ctx, p.engine)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if c.Name == p.options.Name {
			return c.Nodes, nil
		}
	}
	return nil, fmt.Errorf("there is no cluster %q", p.options.Name)
}

// adminConfig is the path of kubeadm's kubeconfig on the control plane node.
const adminConfig = "/etc/kubernetes/admin.conf"

// RESTConfig returns the client configuration of the cluster. It reads the kubeconfig of the control plane node,
// because the context in the user's kubeconfig may refer to another cluster of the same name: an earlier one, or one of
// another engine.
func (p *Provider) RESTConfig(ctx context.Context) (*rest.Config, error) {
	node := p.ControlPlaneNode()
	admin, err := p.engine.Output(ctx, "exec", node, "cat", adminConfig)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig of cluster %s: %w", p.options.Name, err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(admin))
	if err != nil {
		return nil, fmt.Errorf("read %s of node %s: %w", adminConfig, node, err)
	}
	// The address in the file is only reachable in the network of the nodes.
	published, err := p.engine.Output(ctx, "port", node, "6443/tcp")
	if err != nil {
		return nil, fmt.Errorf("find the port of cluster %s: %w", p.options.Name, err)
	}
	address, _, _ := strings.Cut(published, "\n")
	config.Host = "https://" + strings.TrimSpace(address)
	return config, nil
}

// LoadImageArchiveInto imports the images of an archive into one node.
func (p *Provider) LoadImageArchiveInto(ctx context.Context, node, path string) error {
	all, err := p.kind(nil).ListInternalNodes(p.options.Name)
	if err != nil {
		return fmt.Errorf("list the nodes of cluster %s: %w", p.options.Name, withOutput(err))
	}
	into := slices.DeleteFunc(all, func(n nodes.Node) bool { return n.String() != node })
	if len(into) == 0 {
		return fmt.Errorf("cluster %s has no node %q", p.options.Name, node)
	}
	return load(ctx, into, func() (*os.File, error) { return os.Open(path) })
}
