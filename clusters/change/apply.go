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

// Apply takes steps, which must have been planned for the state that the cluster is in, one after the other; each is done
// when its component runs what is wanted and is ready. What the steps need is fetched or built, and brought to the nodes,
// before the first of them.
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
	if err := c.provide(ctx, steps, o.Progress); err != nil {
		return err
	}
	for _, s := range steps {
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
			continue
		}
		if err := o.After(ctx, s); err != nil {
			return fmt.Errorf("after %s: %w", s, err)
		}
	}
	if slices.ContainsFunc(steps, func(s Step) bool { return s.To.Component == APIServer }) {
		return c.settle(ctx, o)
	}
	return nil
}

// settle waits for those who lose their lease, and start again, while there is no API server.
func (c *cluster) settle(ctx context.Context, o Options) error {
	st := o.Progress.Stage("control plane")
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("not so for %s", o.Timeout))
	defer cancel()
	if err := wait(ctx, c.controlPlaneSettled, nil); err != nil {
		return st.Fail(err)
	}
	st.Done("")
	return nil
}

// changing is one change of an instance that is about to be made.
type changing struct {
	apply    func(context.Context) error
	ready    func(context.Context) error // why it is not yet
	restore  func(context.Context) error
	restored func(context.Context) error // why it is not yet
	hopeless func(context.Context) error // why it never will be ready; nil if that is not known
	log      func(context.Context) string
}

// take makes the change of a step, or puts the instance back.
func take(ctx context.Context, s Step, change changing, timeout time.Duration, update func(string, ...any)) error {
	late := fmt.Errorf("not so for %s", timeout)
	bounded, cancel := context.WithTimeoutCause(ctx, timeout, late)
	defer cancel()
	err := change.apply(bounded)
	if err == nil {
		if err = wait(bounded, change.ready, change.hopeless); err == nil {
			return nil
		}
		err = fmt.Errorf("wait until it is ready: %w", err)
		if ctx.Err() == nil {
			err = fmt.Errorf("%w; its last lines:\n%s", err, change.log(ctx))
		}
	}
	update("putting it back")
	back, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), timeout, late)
	defer cancel()
	restoreErr := change.restore(back)
	if restoreErr == nil && s.From.Unsettled == "" && ctx.Err() == nil { // nobody waits any more otherwise
		restoreErr = wait(back, change.restored, nil)
	}
	if restoreErr != nil {
		err = errors.Join(err, fmt.Errorf("put it back as it was: %w", restoreErr))
	} else {
		err = fmt.Errorf("%w\nit was put back as it was", err)
	}
	return fmt.Errorf("%s: %w", s, err)
}

func (c *cluster) changing(ctx context.Context, s Step) (changing, error) {
	switch {
	case s.To.Component.Static():
		return c.staticChange(ctx, s)
	case s.To.Component == Kubelet:
		return c.kubeletChange(ctx, s)
	default:
		return c.proxyChange(ctx, s)
	}
}
