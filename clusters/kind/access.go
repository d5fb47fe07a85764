package kind

import (
	"context"
	"fmt"
	"os"
	"slices"

	"k8s.io/client-go/rest"
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

// RESTConfig connects to the cluster as its kubeconfig says.
func (p *Provider) RESTConfig() (*rest.Config, error) { return p.restConfig() }

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
