// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/draconform/draconform/clusters/skew"
)

// changing is a change of an instance that has not been applied yet.
type changing struct {
	apply    func(context.Context) error
	ready    func(context.Context) error // returns why the instance is not ready yet
	restore  func(context.Context) error
	restored func(context.Context) error // returns why the instance is not restored yet
	crashes  func(context.Context) error // returns an error if the instance keeps crashing; nil if unknown
	log      func(context.Context) string
}

// take applies the change of a step, or rolls the instance back if that fails.
func take(ctx context.Context, s skew.Step, change changing, timeout time.Duration, update func(string, ...any)) error {
	late := fmt.Errorf("timed out after %s", timeout)
	bounded, cancel := context.WithTimeoutCause(ctx, timeout, late)
	defer cancel()
	err := change.apply(bounded)
	if err == nil {
		if err = wait(bounded, change.ready, change.crashes); err == nil {
			return nil
		}
		err = fmt.Errorf("wait until it is ready: %w", err)
		if ctx.Err() == nil {
			err = fmt.Errorf("%w; last lines of its log:\n%s", err, change.log(ctx))
		}
	}
	update("rolling it back")
	back, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), timeout, late)
	defer cancel()
	restoreErr := change.restore(back)
	if restoreErr == nil && s.From.Unsettled == "" && !s.From.Stopped && ctx.Err() == nil { // otherwise no caller waits
		restoreErr = wait(back, change.restored, nil)
	}
	if restoreErr != nil {
		err = errors.Join(err, fmt.Errorf("roll it back: %w", restoreErr))
	} else {
		err = fmt.Errorf("%w\nit was rolled back", err)
	}
	return fmt.Errorf("%s: %w", s, err)
}

func (c *cluster) changing(ctx context.Context, s skew.Step) (changing, error) {
	switch {
	case s.To.Component.Static():
		return c.staticChange(ctx, s)
	case s.To.Component == skew.Kubelet:
		return c.kubeletChange(ctx, s)
	default:
		return c.proxyChange(ctx, s)
	}
}
