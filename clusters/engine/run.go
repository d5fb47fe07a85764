package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// removeTimeout bounds the removal of the container that labels an image, which
// also happens after the caller's context has ended.
const removeTimeout = 30 * time.Second

// WithRunLabel derives the image draconform/run:<run> from an image of this
// engine, which has to have an entrypoint or a command, and returns its
// reference. All it adds is the label RunLabel with the run as its value, so
// that containers which others, such as kind, create from it carry the label.
func (e *Engine) WithRunLabel(ctx context.Context, image, run string) (ref string, err error) {
	ref = "draconform/run:" + run
	label := RunLabel + "=" + run
	// Labelled itself, so that what a killed process leaves here is found.
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
