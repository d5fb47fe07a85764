// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/hack/internal/measure"
)

// roundTimeout bounds a round. It is several times the usual duration.
const roundTimeout = 3 * time.Hour

// round is the result of one measurement.
type round struct {
	measure.Run
	Disk int64 // size of the caches at the end, in bytes
	// Yardstick is the duration of the build of Kubernetes' commands,
	// YardstickCPU its processor time.
	Yardstick, YardstickCPU time.Duration
}

// yardstick is a script that builds Kubernetes' seven commands of a release
// with a plain "go build". $VERSION is the release without the v.
//
//go:embed yardstick.sh
var yardstick string

// oneRound creates a root, runs make e2e in it, and then builds the yardstick.
func oneRound(ctx context.Context, o options, reporter *progress.Reporter) (r round, err error) {
	ctx, cancel := context.WithTimeout(ctx, roundTimeout)
	defer cancel()
	task := reporter.Task("throw-away root below %s", o.dir)
	root, err := newRoot(ctx, o.dir)
	if err != nil {
		return r, task.Fail(err)
	}
	defer func() { err = errors.Join(err, root.remove(ctx)) }()
	if err := root.clone(ctx, "."); err != nil {
		return r, task.Fail(err)
	}
	task.Done(root.dir)
	if err := r.runSuite(ctx, root, o, reporter); err != nil {
		return r, err
	}
	if r.Disk, err = root.bytes(ctx, "root"); err != nil {
		return r, err
	}
	if o.yardstick {
		err = r.compare(ctx, root, reporter)
	}
	return r, err
}

// runSuite runs make e2e and observes it.
func (r *round) runSuite(ctx context.Context, root root, o options, reporter *progress.Reporter) error {
	// Interrupted or not, the engine is stopped in order, so that nothing of it
	// stays in the network.
	script := fmt.Sprintf(`cd /src
trap 'kill -TERM $make' TERM
make e2e LABELS='%s' & make=$!
wait $make; status=$?
wait $make
bin/engine stop >/dev/null
exit $status`, o.labels)
	cmd, err := root.command(ctx, "/root", script)
	if err != nil {
		return err
	}
	task := reporter.Task("make e2e")
	if r.Run, err = measure.Observe(ctx, cmd, filepath.Join(o.dir, "draconform-bench.log"), task.Update); err != nil {
		return task.Fail(fmt.Errorf("make e2e: %w", err))
	}
	task.Done(r.Timeline.Verdict)
	return nil
}

// compare builds the yardstick with an empty home, and therefore with empty
// caches.
func (r *round) compare(ctx context.Context, root root, reporter *progress.Reporter) error {
	task := reporter.Task("yardstick: go build of Kubernetes' seven commands")
	cmd, err := root.command(ctx, "/home/yardstick", yardstick)
	if err != nil {
		return task.Fail(err)
	}
	cmd.Env = append(cmd.Env, "VERSION="+clusters.Newest().Version)
	before, err := measure.Now()
	if err != nil {
		return task.Fail(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return task.Fail(fmt.Errorf("build the yardstick: %w: %s", err, lastLines(out)))
	}
	after, err := measure.Now()
	if err != nil {
		return task.Fail(err)
	}
	r.Yardstick, r.YardstickCPU = after.At.Sub(before.At), after.CPU-before.CPU
	task.Done("")
	return nil
}
