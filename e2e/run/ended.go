// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/draconform/draconform/clusters/controlplane"
	"github.com/draconform/draconform/e2e/internal/contexts"
	"github.com/draconform/draconform/e2e/suite"
)

// watch implements [cluster].
func (c *controlPlaneCluster) watch(ctx context.Context) (_ context.Context, stop func() *suite.Ended) {
	ctx, cancel := context.WithCancelCause(ctx)
	unwatch := c.provider.Watch(ctx, func(e *controlplane.EndedError) {
		ended := c.endedOf(e)
		c.Progress.Printf(" ✗ the run ends, because %s", ended.Summary())
		cancel(ended)
	})
	return ctx, func() *suite.Ended {
		unwatch()
		ended := suite.EndedIn(ctx)
		if first := c.provider.FirstEnded(); ended == nil && first != nil {
			ended = c.endedOf(first) // It has ended after the last spec.
		}
		cancel(nil)
		return ended
	}
}

// endedOf describes the end of a component. The scheduler is the one that specs test.
func (c *controlPlaneCluster) endedOf(e *controlplane.EndedError) *suite.Ended {
	return &suite.Ended{
		Component: e.Name, Result: e.Result, Text: e.Error(), Tested: e.OfScheduler(), Process: max(c.worker, 1), At: time.Now(),
	}
}

// watchesNothing is the end of a watch of a cluster whose components are not processes of
// this machine.
func watchesNothing() *suite.Ended { return nil }

// withEnded returns the error of a run that has ended because of a component, unless the
// error has that reason.
func withEnded(err error, ended *suite.Ended) error {
	if _, known := errors.AsType[*suite.Ended](err); known || ended == nil {
		return err
	}
	return errors.Join(ended, err)
}

// endedFile is a file in the folder of a run by which its processes learn why they are
// terminated. It is removed when they have ended.
const endedFile = "ended.json"

// writeEnded writes why the run of a context has ended, if a component has ended.
// Processes may read the file at the same time, because Ctrl-C ends them, too.
func (r *runner) writeEnded(ctx context.Context) error {
	ended := suite.EndedIn(ctx)
	if ended == nil {
		return nil
	}
	if err := writeWhole(filepath.Join(r.dir, endedFile), ended); err != nil {
		return fmt.Errorf("tell other processes why the run has ended: %w", err)
	}
	return nil
}

// writeWhole writes a file of JSON that readers see when it is complete.
func writeWhole(path string, content any) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	err = errors.Join(json.NewEncoder(f).Encode(content), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func (r *runner) removeEnded() { _ = os.Remove(filepath.Join(r.dir, endedFile)) }

// toldWhy returns a copy of ctx that ends when ctx ends, with the reason that the run has
// written, if any.
func (p workerInput) toldWhy(ctx context.Context) (_ context.Context, stop func()) {
	return contexts.EndingWith(context.WithoutCancel(ctx), ctx, func() error {
		if ended := p.readEnded(); ended != nil {
			return ended
		}
		return context.Cause(ctx)
	})
}

// readEnded returns why the run has ended, or nil if no component has ended.
func (p workerInput) readEnded() *suite.Ended {
	content, err := os.ReadFile(filepath.Join(p.Dir, endedFile))
	if err != nil {
		return nil //nolint:nilerr // There is no file unless a component has ended.
	}
	var ended suite.Ended
	if err := json.Unmarshal(content, &ended); err != nil {
		return nil //nolint:nilerr // The run says what has ended, too.
	}
	mine := 1
	if p.ControlPlane != nil {
		mine = p.Process
	}
	ended.Elsewhere = ended.Process != mine
	return &ended
}
