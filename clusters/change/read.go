// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/skew"
)

// answerTimeout is the time for which Read waits for an API server. One that has just been replaced may still be
// starting.
const answerTimeout = time.Minute

// Read returns the running configuration of a cluster's components. It reads files and processes on the nodes, and
// requests from the API server what is not on the nodes. If the API server does not answer, its entry has Silent set
// (see [skew.Running.Silent]), and the state has no entry for the proxy.
func Read(ctx context.Context, p *kind.Provider) (skew.State, error) {
	c, err := open(ctx, p)
	if err != nil {
		return nil, err
	}
	state, err := c.state(ctx, answerTimeout)
	if err != nil {
		return nil, fmt.Errorf("read the state of cluster %s: %w", p.Name(), err)
	}
	return state, nil
}

// state returns the running configuration. It waits for the API server for the given time.
func (c *cluster) state(ctx context.Context, timeout time.Duration) (skew.State, error) {
	silent := c.waitForAPI(ctx, timeout)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	instances := c.instances()
	if silent != nil {
		instances = slices.DeleteFunc(instances, func(i skew.Instance) bool { return i.Component == skew.Proxy })
	}
	state, err := c.read(ctx, instances)
	if err != nil {
		return nil, err
	}
	if silent != nil {
		server := &state[slices.IndexFunc(state, func(r skew.Running) bool { return r.Component == skew.APIServer })]
		server.Silent = true
		if !server.Stopped && server.Unsettled == "" {
			server.Unsettled = silent.Error()
		}
	}
	return state, nil
}

// instances returns all instances in the order of a state.
func (c *cluster) instances() []skew.Instance {
	all := []skew.Instance{{Component: skew.APIServer}, {Component: skew.ControllerManager}, {Component: skew.Scheduler}}
	for _, node := range c.nodes {
		all = append(all, skew.Instance{Component: skew.Kubelet, Node: node})
	}
	return append(all, skew.Instance{Component: skew.Proxy})
}

// read returns the running configuration of instances.
func (c *cluster) read(ctx context.Context, instances []skew.Instance) (skew.State, error) {
	state := make(skew.State, len(instances))
	group, ctx := errgroup.WithContext(ctx)
	for i, instance := range instances {
		group.Go(func() (err error) {
			switch {
			case instance.Component.Static():
				state[i], err = c.static(ctx, instance.Component)
			case instance.Component == skew.Kubelet:
				state[i], err = c.kubelet(ctx, instance.Node)
			default:
				state[i], err = c.proxy(ctx)
			}
			return err
		})
	}
	return state, group.Wait()
}

// interrupted is the reason for a static pod whose old manifest was removed by an interrupted change that did not
// write the new manifest.
const interrupted = "a change of it was interrupted"

// static reads the running configuration of a static pod.
func (c *cluster) static(ctx context.Context, component skew.Component) (skew.Running, error) {
	r := skew.Running{Instance: skew.Instance{Component: component}}
	manifest, err := c.readManifest(ctx, component)
	if err != nil {
		return r, err
	}
	if r.Release, err = manifest.Release(); err != nil {
		return r, fmt.Errorf("read the manifest of %s: %w", component, err)
	}
	if r.Gates, _, err = manifest.Gates(); err != nil {
		return r, fmt.Errorf("read the manifest of %s: %w", component, err)
	}
	if component == skew.Scheduler {
		r.Scheduler = skew.KubeScheduler
		if manifest.IsDraconform() {
			r.Scheduler = skew.DraconformScheduler
		}
	}
	switch manifest.where {
	case staticpod.Stopped:
		r.Stopped = true
	case staticpod.Parked:
		r.Unsettled = interrupted
	default:
		if err := (&static{cluster: c, component: component, manifest: manifest.Manifest}).settled(ctx); err != nil {
			r.Unsettled = err.Error()
		}
	}
	return r, nil
}

// waitForAPI waits until the API server answers, and returns the reason if it does not. It does not wait for an API
// server without a manifest in the kubelet's folder.
func (c *cluster) waitForAPI(ctx context.Context, timeout time.Duration) error {
	switch manifest, err := c.readManifest(ctx, skew.APIServer); {
	case err != nil:
		return err
	case manifest.where == staticpod.Stopped:
		return errors.New("it is stopped")
	case manifest.where == staticpod.Parked:
		return errors.New(interrupted)
	}
	bounded, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("timed out after %s", timeout))
	defer cancel()
	if err := wait(bounded, c.answers, nil); err != nil {
		return fmt.Errorf("wait until it answers: %w", err)
	}
	return nil
}
