package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/draconform/draconform/clusters/engine"
)

const (
	// probe is a command that does not exist. That runc does not find it is the
	// proof: it looks for the command only after it has set up everything else,
	// capabilities last.
	probe = "/draconform-doctor"
	// notFound begins what runc says then.
	notFound = `exec: "` + probe + `"`

	probeLabel   = engine.RunLabel + "=doctor"
	cleanTimeout = 10 * time.Second
)

// tryPrivileged starts a privileged container from an image without content, as
// none with content need be at hand. It returns how the start failed, nil if
// only the command was missing; err is about the trial itself.
func tryPrivileged(ctx context.Context, e *engine.Engine) (start, err error) {
	image, err := importEmpty(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("prepare the trial of a privileged container: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTimeout)
		defer cancel()
		if removeErr := e.RemoveImages(ctx, image); err == nil {
			err = removeErr
		}
	}()
	_, start = e.Output(ctx, "run", "--rm", "--privileged", "--network=none", "--label="+probeLabel, image, probe)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("try a privileged container: %w", ctx.Err())
	}
	if start == nil || strings.Contains(start.Error(), notFound) {
		return nil, nil
	}
	return start, nil
}

// importEmpty makes an image of an empty archive and returns its ID.
func importEmpty(ctx context.Context, e *engine.Engine) (string, error) {
	dir, err := os.MkdirTemp("", "draconform-doctor-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	archive := filepath.Join(dir, "empty.tar")
	// Two blocks of zeros end a tar archive.
	if err := os.WriteFile(archive, make([]byte, 1024), 0o644); err != nil {
		return "", err
	}
	return e.Output(ctx, "import", "--change", "LABEL "+probeLabel, archive)
}
