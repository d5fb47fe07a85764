// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// wait polls until settled returns no error. If the context ends or crashes returns an error first, it returns that
// error and the last error of settled.
func wait(ctx context.Context, settled, crashes func(context.Context) error) error {
	last := errors.New("it was not checked in time")
	for polls, pause := 1, shortest; ; polls, pause = polls+1, min(pause*3/2, longest) {
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", context.Cause(ctx), last)
		}
		err := settled(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil {
			last = err
		}
		if crashes != nil && polls%crashesEvery == 0 {
			if err := crashes(ctx); err != nil {
				return fmt.Errorf("%w: %w", err, last)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

const (
	// shortest and longest limit the pause between two polls. Most polls run commands on a node. They take one or two
	// tenths of a second of processor time, which the component that is waited for also needs.
	shortest = 200 * time.Millisecond
	longest  = time.Second
	// crashesEvery is the number of polls between two checks for crashes.
	crashesEvery = 5
)
