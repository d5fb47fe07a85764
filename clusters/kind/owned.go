package kind

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/clusters/engine"
)

// clusterLabel is what kind labels its containers with; the value is the
// cluster's name.
const clusterLabel = "io.x-k8s.kind.cluster"

// Cluster is a cluster that was created here, found by its containers' labels.
type Cluster struct {
	Name  string   // of the cluster
	Run   string   // the id of the run it belongs to
	Nodes []string // names of its nodes, sorted
	State string   // running, or the state of a container that is not
}

// List finds the clusters that were created here, sorted by name.
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

// Find returns the provider of a cluster that was created here. Its context is in
// a kubeconfig; empty means where kubectl would look.
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
		return nil, fmt.Errorf("draconform has no cluster %q, and no other", name)
	}
	return nil, fmt.Errorf("draconform has no cluster %q, only %s", name, strings.Join(known, ", "))
}

// Destroy removes the cluster: its context from the kubeconfig, its containers,
// and the run's image. Without a cluster it does nothing.
func (p *Provider) Destroy(ctx context.Context) error {
	// kind removes by its own label: first make sure that the containers with
	// this name are this run's.
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
		return fmt.Errorf("remove what run %s left: %w", p.options.Run, err)
	}
	return nil
}
