// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/kind"
)

// requestTimeout limits the time of one request. An API server that is being
// replaced may never answer it.
const requestTimeout = 5 * time.Second

// cluster is the cluster that is read and changed.
type cluster struct {
	provider     *kind.Provider
	engine       *engine.Engine
	client       kubernetes.Interface
	controlPlane string   // name of the control plane node
	nodes        []string // names of all nodes, sorted
}

func open(ctx context.Context, p *kind.Provider) (*cluster, error) {
	nodes, err := p.NodeNames(ctx)
	if err != nil {
		return nil, err
	}
	config, err := p.RESTConfig(ctx)
	if err != nil {
		return nil, err
	}
	config.Timeout = requestTimeout
	config.QPS, config.Burst = 50, 100 // waiting sends many requests
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &cluster{provider: p, engine: p.Engine(), client: client, controlPlane: p.ControlPlaneNode(), nodes: nodes}, nil
}

// sh runs a script on a node. The script's arguments are $1 and following.
func (c *cluster) sh(ctx context.Context, node, script string, args ...string) (string, error) {
	out, err := c.engine.Exec(ctx, node, append([]string{"sh", "-ec", script, "sh"}, args...)...)
	if err != nil {
		return out, fmt.Errorf("on node %s: %w", node, err)
	}
	return out, nil
}

// lastLines returns the end of a log. If reading it fails, it returns the
// error's text instead.
func lastLines(ctx context.Context, read func(context.Context) (string, error)) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	out, err := read(ctx)
	if err != nil {
		return err.Error()
	}
	if out == "" {
		return "(none)"
	}
	return out
}
