// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/internal/rules"
)

// Pool is what is free and held in a pool.
type Pool struct {
	Driver string `json:"driver"`
	Pool   string `json:"pool"`
	// Nodes describes the nodes on which the devices can be used, such as "node worker-1" or "all nodes".
	Nodes string `json:"nodes"`
	// Problem states why no device of the pool can be allocated at the moment. It is empty if there is none.
	Problem string `json:"problem,omitempty"`
	// Free, Held, Blocked and Tainted are the numbers of devices by their state.
	Free    int      `json:"free"`
	Held    int      `json:"held"`
	Blocked int      `json:"blocked"`
	Tainted int      `json:"tainted"`
	Devices []Device `json:"devices"`
	// Counters shows the counters of partitionable devices.
	Counters *explain.Picture `json:"counters,omitempty"`
}

// Filter selects pools. Empty fields select all.
type Filter struct{ Node, Driver, Pool string }

// Pools returns the pools that a filter selects, sorted by nodes, driver and name. With a node, these are the pools that
// the node can use, and only the devices that it can use.
func (c *Cluster) Pools(f Filter) ([]Pool, error) {
	nodes, err := c.selectNodes(f.Node)
	if err != nil {
		return nil, err
	}
	pictures, err := c.pictures(nodes)
	if err != nil {
		return nil, err
	}
	usage := usageOf(c.Objects.Claims)
	found := []Pool{}
	for _, pool := range rules.Pools(c.Objects.Slices) {
		if f.Driver != "" && pool.Driver != f.Driver || f.Pool != "" && pool.Name != f.Pool {
			continue
		}
		p := c.describePool(pool, usage, nodes, f.Node != "")
		p.Counters = pictures[poolKey{p.Driver, p.Pool}]
		if f.Node == "" || len(p.Devices) > 0 {
			found = append(found, p)
		}
	}
	if f == (Filter{}) {
		found = append(found, usage.unpublished(c.Objects.Slices)...)
	}
	slices.SortStableFunc(found, func(a, b Pool) int {
		return cmp.Or(cmp.Compare(a.Nodes, b.Nodes), cmp.Compare(a.Driver, b.Driver), cmp.Compare(a.Pool, b.Pool))
	})
	return found, nil
}

// selectNodes returns all nodes, or the one with the given name.
func (c *Cluster) selectNodes(name string) ([]*corev1.Node, error) {
	if name == "" {
		return c.Objects.Nodes, nil
	}
	i := slices.IndexFunc(c.Objects.Nodes, func(n *corev1.Node) bool { return n.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoNode, name)
	}
	return c.Objects.Nodes[i : i+1], nil
}

// describePool describes a pool without its counters. If only is set, it has only the devices that the first node can use.
func (c *Cluster) describePool(pool *rules.Pool, usage usage, nodes []*corev1.Node, only bool) Pool {
	out := Pool{Driver: pool.Driver, Pool: pool.Name, Problem: problemOf(pool), Devices: []Device{}}
	left := countersLeft(pool, usage)
	places := map[string]bool{}
	for slice, device := range pool.Devices() {
		where := rules.NodesOf(&slice.Spec, device)
		if only {
			if used, err := where.Include(nodes[0]); err != nil || !used {
				continue
			}
		}
		d := usage.device(pool, device, left)
		d.Nodes = describeNodes(where)
		if d.State == StateFree {
			switch {
			case out.Problem != "":
				d.State, d.Why = StateBlocked, "the problem of the pool"
			case c.apart && len(slice.Spec.SharedCounters) > 0:
				d.State, d.Why = StateBlocked, fmt.Sprintf("slice %s, which has counters, too: since Kubernetes 1.35, slices have either", slice.Name)
			}
		}
		places[d.Nodes] = true
		out.count(d.State)
		out.Devices = append(out.Devices, d)
	}
	out.Devices = append(out.Devices, usage.gone(pool, only, &out)...)
	switch {
	case len(places) == 1:
		for place := range places {
			out.Nodes = place
		}
	case len(places) > 1:
		out.Nodes = "several nodes"
	default:
		out.Nodes = describeNodes(rules.NodesOf(&pool.Slices[0].Spec, &resourceapi.Device{}))
	}
	return out
}

func (p *Pool) count(state State) {
	switch state {
	case StateFree:
		p.Free++
	case StateHeld, StateShared, StateGone:
		p.Held++
	case StateBlocked:
		p.Blocked++
	case StateTainted:
		p.Tainted++
	}
}

// problemOf states why devices of a pool cannot be allocated.
func problemOf(pool *rules.Pool) string {
	if pool.Missing() < 0 {
		return fmt.Sprintf("invalid: generation %d has %d slices, but states %d", pool.Generation(), len(pool.Slices), pool.Slices[0].Spec.Pool.ResourceSliceCount)
	}
	if pool.Missing() > 0 {
		return fmt.Sprintf("incomplete: generation %d has %d of %d slices", pool.Generation(), len(pool.Slices), pool.Slices[0].Spec.Pool.ResourceSliceCount)
	}
	names := map[string]bool{}
	for _, device := range pool.Devices() {
		if names[device.Name] {
			return fmt.Sprintf("invalid: several devices are called %s", device.Name)
		}
		names[device.Name] = true
	}
	return ""
}

func describeNodes(n rules.Nodes) string {
	switch {
	case n.All:
		return "all nodes"
	case n.Name != "":
		return "node " + n.Name
	case n.Selector != nil:
		return "nodes with " + selectorText(n.Selector)
	}
	return "several nodes"
}

// selectorText writes a node selector in one line.
func selectorText(selector *corev1.NodeSelector) string {
	var terms []string
	for i := range selector.NodeSelectorTerms {
		var requirements []string
		for _, r := range slices.Concat(selector.NodeSelectorTerms[i].MatchExpressions, selector.NodeSelectorTerms[i].MatchFields) {
			requirements = append(requirements, fmt.Sprintf("%s %s %s", r.Key, r.Operator, some(r.Values)))
		}
		terms = append(terms, strings.Join(requirements, " and "))
	}
	return strings.Join(terms, " or ")
}

type poolKey struct{ driver, pool string }

// pictures draws the counters of each pool as the first node that sees it does.
func (c *Cluster) pictures(nodes []*corev1.Node) (map[poolKey]*explain.Picture, error) {
	all := map[poolKey]*explain.Picture{}
	for _, node := range nodes {
		pictures, err := c.allocator.Pictures(node, c.holders)
		if err != nil {
			return nil, err
		}
		for i := range pictures {
			key := poolKey{pictures[i].Driver, pictures[i].Pool}
			if all[key] == nil {
				all[key] = &pictures[i]
			}
		}
	}
	return all, nil
}
