// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

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
	// probe is a command that does not exist. runc looks up the command only
	// after it has set up everything else, capabilities last. The error about
	// the missing command therefore proves that the setup succeeded.
	probe = "/draconform-doctor"
	// notFound is the prefix of runc's error about the missing command.
	notFound = `exec: "` + probe + `"`

	probeLabel   = engine.RunLabel + "=doctor"
	cleanTimeout = 10 * time.Second
)

// tryPrivileged starts a privileged container from an empty image, because no
// other image may exist on the machine. Start is the error of the start, nil if
// only the command was missing. Err is an error of the trial itself.
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

// importEmpty imports an empty archive as an image and returns the image's ID.
func importEmpty(ctx context.Context, e *engine.Engine) (string, error) {
	dir, err := os.MkdirTemp("", "draconform-doctor-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	archive := filepath.Join(dir, "empty.tar")
	// A tar archive ends with two blocks of zeros.
	if err := os.WriteFile(archive, make([]byte, 1024), 0o644); err != nil {
		return "", err
	}
	return e.Output(ctx, "import", "--change", "LABEL "+probeLabel, archive)
}
