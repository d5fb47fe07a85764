// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/progress"
)

// roundTimeout bounds a round. It is several times the usual duration.
const roundTimeout = 3 * time.Hour

// round is the result of one measurement.
type round struct {
	begun    time.Time
	timeline timeline
	samples  series
	disk     int64 // size of the caches at the end, in bytes
	// yardstick is the duration of the build of Kubernetes' commands,
	// yardstickCPU its processor time.
	yardstick, yardstickCPU time.Duration
}

// yardstick is a script that builds Kubernetes' seven commands of a release
// with a plain "go build". $VERSION is the release without the v.
//
//go:embed yardstick.sh
var yardstick string

// measure creates a root, runs make e2e in it, and then builds the yardstick.
func measure(ctx context.Context, o options, reporter *progress.Reporter) (r round, err error) {
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
	if err := r.run(ctx, root, o, reporter); err != nil {
		return r, err
	}
	if r.disk, err = root.bytes(ctx, "root"); err != nil {
		return r, err
	}
	if o.yardstick {
		err = r.compare(ctx, root, reporter)
	}
	return r, err
}

// run runs make e2e and records its output.
func (r *round) run(ctx context.Context, root root, o options, reporter *progress.Reporter) error {
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
	output, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	watchCtx, stop := context.WithCancel(ctx)
	watched := make(chan error, 1)
	go func() { watched <- r.samples.watch(watchCtx) }()
	r.begun = time.Now()
	task := reporter.Task("make e2e")
	if err := cmd.Start(); err != nil {
		stop()
		return task.Fail(errors.Join(fmt.Errorf("run make e2e: %w", err), <-watched))
	}
	read := make(chan error, 1)
	go func() { read <- r.listen(output, filepath.Join(o.dir, "draconform-bench.log"), task.Update) }()
	err = cmd.Wait()
	_ = w.Close()
	stop()
	if err := errors.Join(err, <-read, <-watched); err != nil {
		return task.Fail(fmt.Errorf("make e2e: %w, see %s", err, filepath.Join(o.dir, "draconform-bench.log")))
	}
	if _, found := r.firstSpecs(); !found || r.timeline.verdict == "" {
		return task.Fail(fmt.Errorf("make e2e ran no spec or printed no verdict, see %s", filepath.Join(o.dir, "draconform-bench.log")))
	}
	task.Done(r.timeline.verdict)
	return nil
}

// listen adds the output of the run to the timeline and writes it to a file.
func (r *round) listen(output io.Reader, path string, update func(string, ...any)) error {
	log, err := os.Create(path)
	if err != nil {
		_, _ = io.Copy(io.Discard, output)
		return err
	}
	defer func() { _ = log.Close() }()
	for lines := bufio.NewScanner(output); lines.Scan(); {
		at := time.Now()
		r.timeline.line(at, lines.Text())
		update("%s", lines.Text())
		if _, err := fmt.Fprintf(log, "%8.1f %s\n", at.Sub(r.begun).Seconds(), lines.Text()); err != nil {
			_, _ = io.Copy(io.Discard, output)
			return err
		}
	}
	_, err = io.Copy(io.Discard, output)
	return err
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
	before, err := now()
	if err != nil {
		return task.Fail(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return task.Fail(fmt.Errorf("build the yardstick: %w: %s", err, lastLines(out)))
	}
	after, err := now()
	if err != nil {
		return task.Fail(err)
	}
	r.yardstick, r.yardstickCPU = after.at.Sub(before.at), after.cpu-before.cpu
	task.Done("")
	return nil
}
