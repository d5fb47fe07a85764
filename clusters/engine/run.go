// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// removeTimeout bounds the removal of the container that labels an image. The
// removal also runs after the caller's context has ended.
const removeTimeout = 30 * time.Second

// WithRunLabel derives the image draconform/run:<run> from an image of this
// engine and returns its reference. The image must have an entrypoint or a
// command. The derived image only adds the label RunLabel with the run as its
// value. All containers that are created from it, for example by kind, have the
// label.
func (e *Engine) WithRunLabel(ctx context.Context, image, run string) (ref string, err error) {
	ref = "draconform/run:" + run
	label := RunLabel + "=" + run
	// The container has the label, too, so that it is found if this process is
	// killed.
	container, err := e.Output(ctx, "create", "--pull=never", "--label", label, image)
	if err != nil {
		return "", fmt.Errorf("label image %s for run %s: %w", image, run, err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
		defer cancel()
		_, removeErr := e.Output(ctx, "rm", "--force", "--volumes", container)
		err = errors.Join(err, removeErr)
	}()
	if _, err := e.Output(ctx, "commit", "--change", "LABEL "+label, container, ref); err != nil {
		return "", fmt.Errorf("label image %s for run %s: %w", image, run, err)
	}
	return ref, nil
}
