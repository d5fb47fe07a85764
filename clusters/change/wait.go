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
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for looks := 1; ; looks++ {
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
		case <-tick.C:
		}
	}
}

const (
	// lookEvery is short beside the seconds that components take to start.
	lookEvery = 200 * time.Millisecond
	// hopelessEvery is how many looks there are for one at crashes.
	hopelessEvery = 20
)
