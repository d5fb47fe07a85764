package diff

import (
	"context"
	"sync/atomic"
	"time"
)

// WithStepLimit returns a context that counts how often an allocator asks
// whether it must stop, and says yes from the given time on. The allocators
// of Kubernetes ask at each step of their search, so that this limit, unlike
// a deadline, hits each run at the same place.
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
