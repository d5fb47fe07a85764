// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"context"
	"sync/atomic"
	"time"
)

// WithStepLimit returns a context that counts the calls of Err and returns
// context.DeadlineExceeded once the given number of calls is used up. The
// allocators of Kubernetes call Err at each step of their search. So this
// limit, unlike a deadline, ends each run at the same step.
func WithStepLimit(ctx context.Context, steps int64) context.Context {
	c := &stepLimit{Context: ctx, done: make(chan struct{})}
	c.left.Store(steps)
	return c
}

type stepLimit struct {
	context.Context
	left atomic.Int64
	done chan struct{}
}

func (c *stepLimit) Err() error {
	if err := c.Context.Err(); err != nil {
		return err
	}
	switch left := c.left.Add(-1); {
	case left == -1:
		close(c.done)
		return context.DeadlineExceeded
	case left < -1:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func (c *stepLimit) Done() <-chan struct{} {
	return c.done
}

func (c *stepLimit) Deadline() (time.Time, bool) {
	return time.Time{}, false
}
