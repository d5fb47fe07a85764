// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package parallel runs jobs at the same time.
package parallel

import (
	"errors"
	"sync"
)

// InOrder starts the jobs 0 to n-1 in this order, at most limit at the same time, and
// at least one. It starts no more jobs when stop returns true; stop may be called while
// jobs run. It returns the errors of the jobs in their order, joined, after all started
// jobs have ended.
func InOrder(n, limit int, stop func() bool, job func(i int) error) error {
	errs := make([]error, n)
	slots := make(chan struct{}, max(limit, 1))
	var running sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		// Only now, as a job that has just ended may be the reason to stop.
		if stop() {
			break
		}
		running.Go(func() {
			defer func() { <-slots }()
			errs[i] = job(i)
		})
	}
	running.Wait()
	return errors.Join(errs...)
}
