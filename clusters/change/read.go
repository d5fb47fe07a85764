package change

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/kind"
)

// answerTimeout is how long Read waits for an API server: one that has just been replaced may be starting.
const answerTimeout = time.Minute

// Read tells what the components of a cluster run. It asks the nodes, and the API server for what is in no file of theirs,
// which therefore must run.
func Read(ctx context.Context, p *kind.Provider) (State, error) {
	c, err := open(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := c.waitForAPI(ctx); err != nil {
		return nil, err
	}
	statics := []Component{APIServer, ControllerManager, Scheduler}
	state := make(State, len(statics)+len(c.nodes)+1)
	group, ctx := errgroup.WithContext(ctx)
	for i, component := range statics {
		group.Go(func() (err error) { state[i], err = c.static(ctx, component); return err })
	}
	for i, node := range c.nodes {
		group.Go(func() (err error) { state[len(statics)+i], err = c.kubelet(ctx, node); return err })
	}
	group.Go(func() (err error) { state[len(state)-1], err = c.proxy(ctx); return err })
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("read what runs in cluster %s: %w", p.Name(), err)
	}
	return state, nil
}

// static reads what a static pod runs.
func (c *cluster) static(ctx context.Context, component Component) (Running, error) {
	r := Running{Instance: Instance{Component: component}}
	content, stopped, err := c.readManifest(ctx, component)
	if err != nil {
		return r, err
	}
	manifest, err := staticpod.Parse(content)
	if err != nil {
		return r, fmt.Errorf("read the manifest of %s: %w", component, err)
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
	if r.Stopped = stopped; stopped {
		return r, nil
	}
	if err := (&static{cluster: c, component: component, manifest: manifest}).settled(ctx); err != nil {
		r.Unsettled = err.Error()
	}
	return r, nil
}

// waitForAPI returns when the API server answers.
func (c *cluster) waitForAPI(ctx context.Context) error {
	_, stopped, err := c.readManifest(ctx, APIServer)
	if err != nil {
		return err
	}
	if stopped {
		return fmt.Errorf("the API server of cluster %s is stopped: start it first", c.provider.Name())
	}
	bounded, cancel := context.WithTimeoutCause(ctx, answerTimeout, fmt.Errorf("not so for %s", answerTimeout))
	defer cancel()
	answers := func(ctx context.Context) error {
		return c.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	}
	if err := wait(bounded, answers, nil); err != nil {
		log := (&static{cluster: c, component: APIServer}).log
		return fmt.Errorf("wait until the API server of cluster %s answers: %w; its last lines:\n%s", c.provider.Name(), err, log(ctx))
	}
	return nil
}
