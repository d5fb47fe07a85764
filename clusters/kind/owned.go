// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/clusters/engine"
)

// clusterLabel is the label that kind sets on its containers. The value is the
// cluster's name.
const clusterLabel = "io.x-k8s.kind.cluster"

// Cluster is a cluster that draconform created, found by the labels of its
// containers.
type Cluster struct {
	Name string `json:"name"`
	// Run is the id of the run that it belongs to.
	Run string `json:"run"`
	// Nodes are the sorted names of its nodes.
	Nodes []string `json:"nodes"`
	// State is running, or the state of a container that is not running.
	State string `json:"state"`
}

// List returns the clusters that draconform created, sorted by name.
func List(ctx context.Context, e *engine.Engine) ([]Cluster, error) {
	out, err := e.Output(ctx, "ps", "--all", "--filter", "label="+engine.RunLabel, "--filter", "label="+clusterLabel,
		"--format", fmt.Sprintf(`{{.Label %q}};{{.Label %q}};{{.Names}};{{.State}}`, clusterLabel, engine.RunLabel))
	if err != nil {
		return nil, fmt.Errorf("list clusters: %w", err)
	}
	byName := map[string]*Cluster{}
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), ";")
		if len(fields) != 4 {
			return nil, fmt.Errorf("list clusters: unexpected answer %q of %s", line, e.Name())
		}
		c := byName[fields[0]]
		if c == nil {
			c = &Cluster{Name: fields[0], Run: fields[1], State: "running"}
			byName[c.Name] = c
		}
		c.Nodes = append(c.Nodes, fields[2])
		if fields[3] != "running" {
			c.State = fields[3]
		}
	}
	var found []Cluster
	for _, c := range byName {
		slices.Sort(c.Nodes)
		found = append(found, *c)
	}
	slices.SortFunc(found, func(a, b Cluster) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

// Find returns the provider of a cluster that draconform created. The cluster's
// context is in kubeconfig. If kubeconfig is empty, it is in the file that
// kubectl uses.
func Find(ctx context.Context, e *engine.Engine, name, kubeconfig string) (*Provider, error) {
	all, err := List(ctx, e)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, c := range all {
		if c.Name == name {
			p := New(e, Options{Name: c.Name, Run: c.Run, Workers: len(c.Nodes) - 1, Kubeconfig: kubeconfig})
			p.setKubeconfig()
			return p, nil
		}
		known = append(known, c.Name)
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("draconform has no cluster %q and no other clusters", name)
	}
	return nil, fmt.Errorf("draconform has no cluster %q, only %s", name, strings.Join(known, ", "))
}

// Destroy removes the cluster: its context from the kubeconfig, its containers,
// and the image of the run. It does nothing if the cluster does not exist.
func (p *Provider) Destroy(ctx context.Context) error {
	// kind selects containers by its own label. First check that the containers
	// with this name belong to this run.
	ours, err := List(ctx, p.engine)
	if err != nil {
		return err
	}
	mine := slices.ContainsFunc(ours, func(c Cluster) bool { return c.Name == p.options.Name && c.Run == p.options.Run })
	if mine {
		if err := p.kind(nil).Delete(p.options.Name, p.options.Kubeconfig); err != nil {
			return fmt.Errorf("remove cluster %s: %w", p.options.Name, withOutput(err))
		}
	}
	return p.removeContainers(ctx)
}

// removeContainers removes the engine's containers and images of this run.
func (p *Provider) removeContainers(ctx context.Context) error {
	objects, err := p.engine.Labelled(ctx, engine.RunLabel)
	if err != nil {
		return err
	}
	if err := p.engine.Remove(ctx, objects.WithValue(p.options.Run)); err != nil {
		return fmt.Errorf("remove the containers and images of run %s: %w", p.options.Run, err)
	}
	return nil
}
