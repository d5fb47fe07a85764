// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/clusters/skew"
)

// DefaultTimeout limits the time of a step, and of starting or stopping a component. It is several times the duration
// of the slowest step, which is an API server on a busy machine.
const DefaultTimeout = 3 * time.Minute

// Options are the options of Apply and Reach.
type Options struct {
	// Timeout limits the time of each step, and of each rollback. Default: DefaultTimeout.
	Timeout time.Duration
	// After, if set, is called after each step, when the instance runs the wanted configuration. Its error ends
	// Apply. The step is not rolled back.
	After func(ctx context.Context, done skew.Step) error
	// Progress reports the progress. With nil, nothing is reported.
	Progress *progress.Reporter
}

// Reach changes a cluster to the wanted configuration. The state must have been read just before. If the API server
// does not answer, Reach restores it first, and then reads the state again to plan the remaining steps.
func Reach(ctx context.Context, p *kind.Provider, s skew.State, w skew.Want, o Options) error {
	steps, err := s.Plan(w)
	if err != nil {
		return err
	}
	if err := Apply(ctx, p, steps, o); err != nil || !s.Silent() {
		return err
	}
	if s, err = Read(ctx, p); err != nil {
		return err
	}
	if server, err := s.APIServer(); err != nil || server.Silent {
		return errors.Join(err, fmt.Errorf("%s was restored, but does not answer any more: %s", server.Instance, server.Unsettled))
	}
	if steps, err = s.Plan(w); err != nil {
		return err
	}
	return Apply(ctx, p, steps, o)
}

// Apply applies steps one after the other. They must have been planned for the current state of the cluster. A step
// is complete when its component runs the wanted configuration and is ready. Before the first step, Apply downloads
// or builds everything that the steps need, and copies it to the nodes. Apply returns an error if another Apply,
// Start or Stop of the same user is in progress on the cluster, or if an instance has been changed since the steps
// were planned.
//
// If a step fails or the context ends, Apply rolls the instance back. The error contains the condition that was
// waited for and the last lines of the component's log. Previous steps are not rolled back. Planning again returns
// the remaining steps.
func Apply(ctx context.Context, p *kind.Provider, steps []skew.Step, o Options) error {
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
	if err := c.checkUnchanged(ctx, steps); err != nil {
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
	// If the API server did not answer before the change, the state of the other components is unknown.
	if slices.ContainsFunc(steps, func(s skew.Step) bool { return s.To.Component == skew.APIServer && !s.From.Silent }) {
		return c.settle(ctx, o)
	}
	return nil
}

// checkUnchanged returns an error if an instance has been changed since the steps were planned.
func (c *cluster) checkUnchanged(ctx context.Context, steps []skew.Step) error {
	var instances []skew.Instance
	for _, s := range steps {
		instances = append(instances, s.To.Instance)
	}
	now, err := c.read(ctx, instances)
	if err != nil {
		return fmt.Errorf("read the state before the change: %w", err)
	}
	for i, s := range steps {
		if !now[i].Same(s.From) {
			return fmt.Errorf("%s was changed after this change was planned: plan it again", s.To.Instance)
		}
	}
	return nil
}

// step applies one step.
func (c *cluster) step(ctx context.Context, s skew.Step, o Options) error {
	task := o.Progress.Task("%s", s)
	change, err := c.changing(ctx, s)
	if err == nil {
		err = take(ctx, s, change, o.Timeout, task.Update)
	}
	if err != nil {
		return task.Fail(err)
	}
	task.Done("")
	if o.After == nil {
		return nil
	}
	if err := o.After(ctx, s); err != nil {
		return fmt.Errorf("after %s: %w", s, err)
	}
	return nil
}

// settle waits for the components that lose their lease and restart while the API server is not available.
func (c *cluster) settle(ctx context.Context, o Options) error {
	task := o.Progress.Task("control plane")
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("timed out after %s", o.Timeout))
	defer cancel()
	if err := wait(ctx, c.recovers(), nil); err != nil {
		return task.Fail(err)
	}
	task.Done("")
	return nil
}
