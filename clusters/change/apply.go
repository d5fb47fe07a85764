package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
)

// DefaultTimeout bounds a step, or the end or start of a component: several times what the slowest takes, which is an API server on a machine that is busy.
const DefaultTimeout = 3 * time.Minute

// Options are those of Apply.
type Options struct {
	// Timeout bounds each step, and each step back. Default: DefaultTimeout.
	Timeout time.Duration
	// After, if set, is called behind each step, when the instance runs what it is to run. Its error ends Apply; the step
	// stays.
	After func(ctx context.Context, done Step) error
	// Progress is told what goes on; nil is silent.
	Progress *progress.Reporter
}

// Reach changes a cluster, whose state was just read, to what is wanted. If its API server does not answer, that is
// brought back first, and the state is read again for the rest.
func Reach(ctx context.Context, p *kind.Provider, s State, w Want, o Options) error {
	steps, err := s.Plan(w)
	if err != nil {
		return err
	}
	if err := Apply(ctx, p, steps, o); err != nil || !s.silent() {
		return err
	}
	if s, err = Read(ctx, p); err != nil {
		return err
	}
	if server, err := s.apiServer(); err != nil || server.Silent {
		return errors.Join(err, fmt.Errorf("%s came back, but does not answer now: %s", server.Instance, server.Unsettled))
	}
	if steps, err = s.Plan(w); err != nil {
		return err
	}
	return Apply(ctx, p, steps, o)
}

// Apply takes steps, which must have been planned for the state that the cluster is in, one after the other; each is done
// when its component runs what is wanted and is ready. What the steps need is fetched or built, and brought to the nodes,
// before the first of them. Steps are refused while another Apply, Start or Stop of this user's is at work on the cluster,
// and if what they change is no longer as it was when they were planned.
//
// If a step fails, or the context ends, its instance is put back as it was, and the error carries what was waited for and
// the last lines of the component's log. The steps before stay: planning again leads to the rest of them.
func Apply(ctx context.Context, p *kind.Provider, steps []Step, o Options) error {
	if len(steps) == 0 {
		return nil
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	c, err := open(ctx, p)
	if err != nil {
		return err
	}
	unlock, err := c.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := c.stillSo(ctx, steps); err != nil {
		return err
	}
	if err := c.provide(ctx, steps, o.Progress); err != nil {
		return err
	}
	for _, s := range steps {
		if err := c.step(ctx, s, o); err != nil {
			return err
		}
	}
	// Behind an API server that did not answer nobody knows who was well.
	if slices.ContainsFunc(steps, func(s Step) bool { return s.To.Component == APIServer && !s.From.Silent }) {
		return c.settle(ctx, o)
	}
	return nil
}

// stillSo refuses steps that were planned before something else was changed.
func (c *cluster) stillSo(ctx context.Context, steps []Step) error {
	var instances []Instance
	for _, s := range steps {
		instances = append(instances, s.To.Instance)
	}
	now, err := c.read(ctx, instances)
	if err != nil {
		return fmt.Errorf("look whether what is to be changed is still as it was: %w", err)
	}
	for i, s := range steps {
		if !now[i].same(s.From) {
			return fmt.Errorf("%s has been changed by somebody else since this change was planned: plan it again", s.To.Instance)
		}
	}
	return nil
}

// step takes one step.
func (c *cluster) step(ctx context.Context, s Step, o Options) error {
	st := o.Progress.Stage("%s", s)
	change, err := c.changing(ctx, s)
	if err == nil {
		err = take(ctx, s, change, o.Timeout, st.Update)
	}
	if err != nil {
		return st.Fail(err)
	}
	st.Done("")
	if o.After == nil {
		return nil
	}
	if err := o.After(ctx, s); err != nil {
		return fmt.Errorf("after %s: %w", s, err)
	}
	return nil
}

// settle waits for those who lose their lease, and start again, while there is no API server.
func (c *cluster) settle(ctx context.Context, o Options) error {
	st := o.Progress.Stage("control plane")
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("not so for %s", o.Timeout))
	defer cancel()
	if err := wait(ctx, c.recovers(), nil); err != nil {
		return st.Fail(err)
	}
	st.Done("")
	return nil
}
