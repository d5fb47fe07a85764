// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"fmt"
	"strconv"

	"github.com/draconform/draconform/clusters/internal/staticpod"
)

// crashLimit is the number of times that a container may end before a change fails. A single crash may have another
// cause.
const crashLimit = 3

// newestLog runs a script that reads $log.
func (s *static) newestLog(ctx context.Context, script string) (string, error) {
	uid := ""
	if s.manifest != nil {
		uid = string(s.manifest.UID())
	}
	return s.cluster.script(ctx, staticpod.NewestLog+script, s.component, uid)
}

// crashes returns an error if the component's container has ended at least crashLimit times. It reads this from the
// node, because the API server may be the component that crashes.
func (s *static) crashes(ctx context.Context) error {
	if !s.fresh {
		return nil // the number of earlier restarts is not known
	}
	out, err := s.newestLog(ctx, staticpod.LogNumber)
	if err != nil || out == "" {
		return err
	}
	restarts, err := strconv.Atoi(out)
	if err != nil {
		return fmt.Errorf("count the restarts of %s: %w", s.component, err)
	}
	if restarts < crashLimit {
		return nil
	}
	return fmt.Errorf("its container has ended %d times", restarts)
}

// log returns the end of the log of the component's newest container.
func (s *static) log(ctx context.Context) string {
	return lastLines(ctx, func(ctx context.Context) (string, error) {
		return s.newestLog(ctx, staticpod.LastLines)
	})
}
