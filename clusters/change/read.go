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
)

// answerTimeout is how long Read waits for an API server: one that has just been replaced may be starting.
const answerTimeout = time.Minute

// Read tells what the components of a cluster run. It asks the nodes, and the API server for what is in no file of theirs.
// If that does not answer, the state says so of it (see [Running.Silent]), and lacks the proxy.
func Read(ctx context.Context, p *kind.Provider) (State, error) {
	c, err := open(ctx, p)
	if err != nil {
		return nil, err
	}
	state, err := c.state(ctx, answerTimeout)
	if err != nil {
		return nil, fmt.Errorf("read what runs in cluster %s: %w", p.Name(), err)
	}
	return state, nil
}

// state is what runs, with an API server that has some time to answer.
func (c *cluster) state(ctx context.Context, patience time.Duration) (State, error) {
	silent := c.waitForAPI(ctx, patience)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	instances := c.instances()
	if silent != nil {
		instances = slices.DeleteFunc(instances, func(i Instance) bool { return i.Component == Proxy })
	}
	state, err := c.read(ctx, instances)
	if err != nil {
		return nil, err
	}
	if silent != nil {
		server := &state[state.index(Instance{Component: APIServer})]
		server.Silent = true
		if !server.Stopped && server.Unsettled == "" {
			server.Unsettled = silent.Error()
		}
	}
	return state, nil
}

// instances are those of a state, in its order.
func (c *cluster) instances() []Instance {
	all := []Instance{{Component: APIServer}, {Component: ControllerManager}, {Component: Scheduler}}
	for _, node := range c.nodes {
		all = append(all, Instance{Kubelet, node})
	}
	return append(all, Instance{Component: Proxy})
}

// read tells what instances run.
func (c *cluster) read(ctx context.Context, instances []Instance) (State, error) {
	state := make(State, len(instances))
	group, ctx := errgroup.WithContext(ctx)
	for i, instance := range instances {
		group.Go(func() (err error) {
			switch {
			case instance.Component.Static():
				state[i], err = c.static(ctx, instance.Component)
			case instance.Component == Kubelet:
				state[i], err = c.kubelet(ctx, instance.Node)
			default:
				state[i], err = c.proxy(ctx)
			}
			return err
		})
	}
	return state, group.Wait()
}

// cutShort is why a static pod is not settled whose manifest was taken away for another that never came.
const cutShort = "a change of it was cut short"

// static reads what a static pod runs.
func (c *cluster) static(ctx context.Context, component Component) (Running, error) {
	r := Running{Instance: Instance{Component: component}}
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
	if component == Scheduler {
		r.Scheduler = kind.KubeScheduler
		if manifest.IsDraconform() {
			r.Scheduler = kind.DraconformScheduler
		}
	}
	switch manifest.where {
	case staticpod.Stopped:
		r.Stopped = true
	case staticpod.Parked:
		r.Unsettled = cutShort
	default:
		if err := (&static{cluster: c, component: component, manifest: manifest.Manifest}).settled(ctx); err != nil {
			r.Unsettled = err.Error()
		}
	}
	return r, nil
}

// waitForAPI returns when the API server answers, or why it does not. One that has no manifest in its place never will.
func (c *cluster) waitForAPI(ctx context.Context, patience time.Duration) error {
	switch manifest, err := c.readManifest(ctx, APIServer); {
	case err != nil:
		return err
	case manifest.where == staticpod.Stopped:
		return errors.New("it is stopped")
	case manifest.where == staticpod.Parked:
		return errors.New(cutShort)
	}
	bounded, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not so for %s", patience))
	defer cancel()
	if err := wait(bounded, c.answers, nil); err != nil {
		return fmt.Errorf("wait until it answers: %w", err)
	}
	return nil
}
