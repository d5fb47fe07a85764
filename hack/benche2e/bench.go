// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/hack/internal/measure"
)

const (
	// roundTimeout bounds a run of make. It is several times the usual duration.
	roundTimeout = time.Hour
	// removeTimeout bounds the removal of what an interrupted run has created.
	removeTimeout = 5 * time.Minute
)

// bench measures paths.
type bench struct {
	options
	machine  measure.Machine
	reporter *progress.Reporter
}

// round is the result of one measurement.
type round struct {
	measure.Run
	report report.Report
}

// measure measures a path, and writes its part of the page after each round, so that
// an interruption loses at most one round.
func (b *bench) measure(ctx context.Context, p path) error {
	if _, err := b.round(ctx, p, "warm", p.Warm...); err != nil {
		return err
	}
	var rounds []round
	for i := range b.rounds {
		r, err := b.round(ctx, p, strconv.Itoa(i+1))
		if err != nil {
			return err
		}
		rounds = append(rounds, r)
		if err := document(p, b.machine, rounds).Write(b.out); err != nil {
			return err
		}
	}
	return nil
}

// round runs make in a folder of its own.
func (b *bench) round(ctx context.Context, p path, name string, variables ...string) (r round, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, roundTimeout, fmt.Errorf("timed out after %s", roundTimeout))
	defer cancel()
	dir, err := filepath.Abs(filepath.Join(b.artifacts, p.Name, name))
	if err != nil {
		return r, err
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return r, err
	}
	task := b.reporter.Task("%s, round %s", p.command(variables...), name)
	cmd := makeCommand(ctx, append(p.args(variables...), "ARTIFACTS="+dir))
	if r.Run, err = measure.Observe(ctx, cmd, filepath.Join(dir, "output.log"), task.Update); err != nil {
		return r, task.Fail(errors.Join(err, context.Cause(ctx)))
	}
	if r.report, err = findReport(dir); err != nil {
		return r, task.Fail(err)
	}
	task.Done(r.Timeline.Verdict)
	return r, nil
}

// makeCommand returns a command that runs make without the variables of this process's
// own make. It has a process group of its own, so that Ctrl-C reaches it only once:
// through this process.
func makeCommand(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "make", args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "MAKE") || name == "MFLAGS"
	})
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// make passes the signal on, and waits for what it has started.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = removeTimeout
	return cmd
}

// findReport reads the report of a run below a folder: the one with the shortest path.
// Those of journeys have reports of their own below it.
func findReport(dir string) (report.Report, error) {
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == report.File {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		return report.Report{}, fmt.Errorf("find the report of a run: %w", err)
	}
	depth := func(path string) int { return strings.Count(path, string(filepath.Separator)) }
	slices.SortFunc(found, func(a, b string) int { return depth(a) - depth(b) })
	if len(found) == 0 || len(found) > 1 && depth(found[0]) == depth(found[1]) {
		return report.Report{}, fmt.Errorf("find the report of a run: want one below %s, there are %q", dir, found)
	}
	return report.Read(found[0])
}
