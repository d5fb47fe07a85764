// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"sync"
	"time"
)

// alone is the time of an operation that has no allowance.
const alone = 5 * time.Second

// Allowance is the time that several operations have together. With nil, each has some for
// itself.
type Allowance struct {
	mu   sync.Mutex
	left time.Duration
}

// NewAllowance returns an allowance of a duration.
func NewAllowance(total time.Duration) *Allowance { return &Allowance{left: total} }

// Use calls a function, whose context ends when nothing is left of the allowance. One
// operation waits for the other.
func (a *Allowance) Use(ctx context.Context, operation func(context.Context)) {
	if a == nil {
		a = NewAllowance(alone)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, a.left)
	defer cancel()
	started := time.Now()
	operation(ctx)
	a.left -= time.Since(started)
}
