package change

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// wait waits until settled returns no error, or gives up with what it said last.
func wait(ctx context.Context, settled, hopeless func(context.Context) error) error {
	last := errors.New("there was no time to look")
	for looks, pause := 1, shortest; ; looks, pause = looks+1, min(pause*3/2, longest) {
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
		if hopeless != nil && looks%hopelessEvery == 0 {
			if err := hopeless(ctx); err != nil {
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
	// shortest and longest are the pauses between two looks. Most are commands on a node, which take a tenth of a second or two
	// of a processor's time, and that from those who are waited for.
	shortest = 200 * time.Millisecond
	longest  = time.Second
	// hopelessEvery is how many looks there are for one at crashes.
	hopelessEvery = 5
)
