// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package draconform runs the draconform command and reads its reports.
package draconform

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/live"
)

// OutputFile is the name of the file with the output of a run in its folder.
const OutputFile = "output.log"

// Run is a run of the draconform command. Each run has its own process, because
// specs can run only once in a process.
type Run struct {
	Command   string
	Args, Env []string
	// Dir is the folder of this run. No other run may use it.
	Dir string
	// Progress, if set, receives the output too.
	Progress io.Writer
	// Timeout bounds the run. CleanUp bounds its cleanup after an interruption.
	Timeout, CleanUp time.Duration
	// Until, if set, receives the finished specs every second. Once it returns true,
	// the run is interrupted, and its report has what was judged until then.
	Until func(finished []report.Spec) bool
}

// Report executes the run and returns its report, regardless of the exit code.
// It returns an error if the run left no report. If the run was interrupted or
// exceeded its timeout, the error wraps the cause.
func (r Run) Report(ctx context.Context) (report.Report, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.Timeout, fmt.Errorf("timed out after %s", r.Timeout))
	defer cancel()
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return report.Report{}, fmt.Errorf("create the folder of a run: %w", err)
	}
	output, err := os.Create(filepath.Join(r.Dir, OutputFile))
	if err != nil {
		return report.Report{}, fmt.Errorf("write the output of a run: %w", err)
	}
	defer func() { _ = output.Close() }()
	running, unwatch := r.watched(ctx)
	defer unwatch()
	cmd := exec.CommandContext(running, r.Command, slices.Concat(r.Args, []string{"--artifacts", r.Dir})...)
	cmd.Env = append(os.Environ(), r.Env...)
	cmd.Stdout = output
	if r.Progress != nil {
		cmd.Stdout = io.MultiWriter(output, r.Progress)
	}
	cmd.Stderr = cmd.Stdout
	// It has a process group of its own, so that Ctrl-C reaches it only once, through this
	// process: draconform ends at the second signal and leaves its cluster.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// On an interrupt, draconform cleans up.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = r.CleanUp
	ended := cmd.Run()
	if ctx.Err() != nil {
		return report.Report{}, fmt.Errorf("run draconform, see %s: %w", output.Name(), context.Cause(ctx))
	}
	got, err := ReadReport(r.Dir)
	if err != nil && ended != nil {
		err = fmt.Errorf("run draconform, see %s: %w", output.Name(), ended)
	}
	return got, err
}

// watched returns a context that ends once Until returns true, and a function that
// stops asking it.
func (r Run) watched(ctx context.Context) (context.Context, func()) {
	running, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if r.Until == nil {
			return
		}
		_ = wait.PollUntilContextCancel(running, time.Second, false, func(context.Context) (bool, error) { return r.Until(r.finished()), nil })
		end()
	}()
	return running, func() { end(); <-ended }
}

// finished returns the specs that have finished so far. There are none until the run
// has begun.
func (r Run) finished() []report.Spec {
	dir, err := live.Find(r.Dir)
	if err != nil {
		return nil
	}
	state, err := live.Read(dir)
	if err != nil {
		return nil
	}
	return state.Specs
}

// ReadReport reads the only report in a folder.
func ReadReport(dir string) (report.Report, error) {
	path, err := report.FindRun(dir)
	if err != nil {
		return report.Report{}, err
	}
	return report.Read(path)
}
