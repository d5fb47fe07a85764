// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/hack/internal/draconform"
	"github.com/draconform/draconform/internal/parallel"
)

const (
	// runTimeout bounds the run of a variant. It is many times the usual duration.
	runTimeout = 90 * time.Minute
	// removeTimeout bounds the removal of the cluster of an interrupted run.
	removeTimeout = 5 * time.Minute
)

// runner runs variants and stores their reports.
type runner struct {
	draconform, dir string
	parallel        int
	progress        *progress.Reporter
}

// buildOf returns an identifier of a build of a command, which is the same for all builds of one commit.
func buildOf(command string) (string, error) {
	f, err := os.Open(command)
	if err != nil {
		return "", fmt.Errorf("identify the build of draconform: %w", err)
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("identify the build of draconform %s: %w", command, err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

// all runs the variants that have no report yet, round by round. Failures of variants are in their reports. The error
// is about runs without a report.
func (r *runner) all(ctx context.Context, variants []variant, rounds int) error {
	type run struct {
		variant
		round int
	}
	var missing []run
	for round := 1; round <= rounds; round++ {
		for _, v := range variants {
			if !r.has(v, round) {
				missing = append(missing, run{v, round})
			}
		}
	}
	err := parallel.InOrder(len(missing), r.parallel, func() bool { return interrupted(ctx) }, func(i int) error {
		return r.run(ctx, missing[i].variant, missing[i].round)
	})
	return errors.Join(context.Cause(ctx), err)
}

func (r *runner) folder(v variant, round int) string {
	return filepath.Join(r.dir, v.name, strconv.Itoa(round))
}

// has reports whether a variant has a complete report of a round, with any result. An interrupted run is not complete.
func (r *runner) has(v variant, round int) bool {
	got, err := r.read(v, round)
	return err == nil && got.Verdict.Result != report.Incomplete
}

// read returns the report of a variant in a round.
func (r *runner) read(v variant, round int) (report.Report, error) {
	return draconform.ReadReport(r.folder(v, round))
}

// run runs a variant in a separate process. It first removes the files of an earlier run that was not completed.
func (r *runner) run(ctx context.Context, v variant, round int) error {
	task := r.progress.Task("round %d of %s", round, v.name)
	dir := r.folder(v, round)
	if err := os.RemoveAll(dir); err != nil {
		return task.Fail(fmt.Errorf("remove round %d of %s: %w", round, v.name, err))
	}
	got, err := draconform.Run{Command: r.draconform, Args: v.args, Dir: dir, Timeout: runTimeout, CleanUp: removeTimeout}.Report(ctx)
	if interrupted(ctx) {
		_ = task.Fail(context.Cause(ctx)) // All running variants end at the same time.
		return nil
	}
	if err != nil {
		return task.Fail(fmt.Errorf("run round %d of %s: %w", round, v.name, err))
	}
	if !got.Verdict.Result.Succeeds() {
		_ = task.Fail(errors.New(string(got.Verdict.Result))) // The table contains the reason.
		return nil
	}
	task.Done(string(got.Verdict.Result))
	return nil
}

// interrupted reports whether the runs were interrupted.
func interrupted(ctx context.Context) bool { return ctx.Err() != nil }
