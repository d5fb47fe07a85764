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

// Engine is the container engine whose containers the nodes are.
func (p *Provider) Engine() *engine.Engine { return p.engine }

// Run is the id of the run that the cluster belongs to.
func (p *Provider) Run() string { return p.options.Run }

// ControlPlaneNode is the name of the control plane's node; a cluster has one.
func (p *Provider) ControlPlaneNode() string { return p.options.Name + "-control-plane" }

// NodeNames are the names of the cluster's nodes, sorted. They are those of its
// containers, too.
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

// adminConfig is where kubeadm leaves a kubeconfig on the node of the control plane.
const adminConfig = "/etc/kubernetes/admin.conf"

// RESTConfig connects to the cluster that the nodes are of. It asks its control plane node and not the kubeconfig, whose
// context may lead to another cluster of the same name: one that was there before, or one of another engine.
func (p *Provider) RESTConfig(ctx context.Context) (*rest.Config, error) {
	node := p.ControlPlaneNode()
	admin, err := p.engine.Output(ctx, "exec", node, "cat", adminConfig)
	if err != nil {
		return nil, fmt.Errorf("read how to connect to cluster %s: %w", p.options.Name, err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(admin))
	if err != nil {
		return nil, fmt.Errorf("read %s of node %s: %w", adminConfig, node, err)
	}
	// What is in the file is for those who are in the network of the nodes.
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
