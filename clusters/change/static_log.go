package change

import (
	"context"
	"fmt"
	"strconv"

	"github.com/draconform/draconform/clusters/internal/staticpod"
)

// crashLimit is how often a container may end before a change is given up. One crash may be due to something else.
const crashLimit = 3

// newestLog runs a script that looks at $log.
func (s *static) newestLog(ctx context.Context, script string) (string, error) {
	uid := ""
	if s.manifest != nil {
		uid = string(s.manifest.UID())
	}
	return s.cluster.script(ctx, staticpod.NewestLog+script, s.component, uid)
}

// crashes returns an error if the component's container has ended too often to hope. It asks the node, because the API
// server may be what crashes.
func (s *static) crashes(ctx context.Context) error {
	if !s.fresh {
		return nil // how often it ended before is not known
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

// log is the end of what the component's newest container said.
func (s *static) log(ctx context.Context) string {
	return lastLines(ctx, func(ctx context.Context) (string, error) {
		return s.newestLog(ctx, staticpod.LastLines)
	})
}
