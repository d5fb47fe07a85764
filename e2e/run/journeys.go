// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// JourneyCommand returns the command that runs one journey. It must call
// [Journey] with its standard input.
type JourneyCommand func(context.Context) *exec.Cmd

// CheckHost states why the host lacks resources for a cluster with the given
// number of workers. It returns an empty string if the host has enough or if
// that is unknown.
type CheckHost func(ctx context.Context, workers int) string

// Journeys runs the selected journeys one after the other, each in its own kind
// cluster that is the journey's initial cluster, and returns a common report.
// Journeys that exceed the resources of the host are not applicable. Each
// journey runs in its own process, because specs can run only once in a
// process. Their output is written to out. The error states why the run could
// not be completed.
func Journeys(ctx context.Context, c Config, all []suite.Spec, command JourneyCommand, check CheckHost, out io.Writer) (report.Report, error) {
	c.Provider = Kind
	p, err := c.plan(all)
	if err != nil {
		return report.Report{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	j := &journeys{plan: p, dir: filepath.Join(c.Dir, p.id), command: command, check: check, out: out}
	if err := os.MkdirAll(j.dir, 0o755); err != nil {
		return report.Report{}, fmt.Errorf("make the folder of the run: %w", err)
	}
	p.Progress.Printf("run %s, %d journeys, results in %s", p.id, len(p.selected), j.dir)
	err = j.all(ctx, p.selected)
	r := j.report(err)
	return r, errors.Join(err, j.write(ctx, r))
}

// journeys is a run of several journeys.
type journeys struct {
	*plan
	dir     string
	command JourneyCommand
	check   CheckHost
	out     io.Writer
	specs   []report.Spec
}

// all runs the journeys. It stops after a failure only with FailFast.
func (j *journeys) all(ctx context.Context, selected []suite.Spec) error {
	var errs []error
	failed := false
	for i, s := range selected {
		result := report.Spec{ID: s.ID, Description: s.Description, Profile: s.Profile, Level: s.Level.String(), Component: s.Component, Features: s.Features, Journey: &report.Journey{Start: s.Journey.InitialCluster}}
		if ctx.Err() != nil || failed && j.FailFast {
			result.Outcome, result.Reason = suite.Skipped, "not run, because an earlier journey failed or the run was interrupted"
			j.specs = append(j.specs, result)
			continue
		}
		if reason := j.check(ctx, s.Journey.InitialCluster.Workers); reason != "" {
			result.Outcome, result.Reason = suite.NotApplicable, reason
			j.Progress.Printf("journey %d of %d: %s: %s", i+1, len(selected), s.ID, reason)
			j.specs = append(j.specs, result)
			continue
		}
		j.Progress.Printf("journey %d of %d: %s, from %s", i+1, len(selected), s.ID, s.Journey.InitialCluster)
		got, err := j.one(ctx, s)
		if err != nil {
			errs = append(errs, fmt.Errorf("journey %s: %w", s.ID, err))
		}
		if got != nil {
			result = *got
			errs = append(errs, checkRan(result))
		}
		failed = failed || result.Outcome != suite.Passed && s.Level != suite.Provisional
		j.specs = append(j.specs, result)
	}
	return errors.Join(errs...)
}

// checkRan returns an error if a journey was not run although its cluster was
// created for it.
func checkRan(result report.Spec) error {
	if result.Outcome == suite.NotApplicable || result.Outcome == suite.NotSupported {
		return fmt.Errorf("journey %s: did not run in its own cluster: %s", result.ID, result.Reason)
	}
	return nil
}

// one runs a journey in a process and returns its result from the process's
// report, or nil if there is none.
func (j *journeys) one(ctx context.Context, s suite.Spec) (*report.Spec, error) {
	c := j.Config
	c.Progress, c.Worker, c.Flags = nil, nil, []string{"--id", s.ID}
	c.Release, c.Gates, c.Scheduler, c.Workers = s.Journey.InitialCluster.Release, s.Journey.InitialCluster.Gates, s.Journey.InitialCluster.Scheduler, s.Journey.InitialCluster.Workers
	c.Selection, c.Dir = suite.Selection{IDs: []string{s.ID}}, filepath.Join(j.dir, "journeys", s.ID)
	described, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode the configuration: %w", err)
	}
	cmd := j.command(ctx)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(described), j.out, j.out
	// An interrupted process keeps the logs, removes its cluster and writes its
	// report.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 3 * cleanupTimeout
	ended := cmd.Run()
	reports, err := filepath.Glob(filepath.Join(c.Dir, "*", report.File))
	if err != nil || len(reports) != 1 {
		return nil, errors.Join(fmt.Errorf("%d reports in %s, expected 1", len(reports), c.Dir), err, ended)
	}
	r, err := report.Read(reports[0])
	if err != nil {
		return nil, err
	}
	var problem error
	if r.Verdict.Problem != "" {
		problem = errors.New(r.Verdict.Problem)
	}
	for _, got := range r.Specs {
		if got.ID == s.ID {
			return j.shift(got, r.Run.Started.Time), errors.Join(problem, j.moveArtifacts(filepath.Dir(reports[0]), s.ID))
		}
	}
	return nil, errors.Join(problem, fmt.Errorf("the report %s does not contain the journey", reports[0]))
}

// shift converts the start of a journey to an offset from the start of the run
// of all journeys.
func (j *journeys) shift(s report.Spec, started time.Time) *report.Spec {
	if s.After != nil {
		s.After = ptr.To(*s.After + started.Sub(j.started).Round(100*time.Millisecond).Seconds())
	}
	return &s
}

// moveArtifacts moves the artifacts of a failed journey to the place that links
// in the report refer to.
func (j *journeys) moveArtifacts(from, id string) error {
	artifacts := filepath.Join(from, "artifacts", id)
	if _, err := os.Stat(artifacts); err != nil {
		return nil //nolint:nilerr // The journey left no artifacts.
	}
	if err := os.MkdirAll(filepath.Join(j.dir, "artifacts"), 0o755); err != nil {
		return fmt.Errorf("move artifacts: %w", err)
	}
	if err := os.Rename(artifacts, filepath.Join(j.dir, "artifacts", id)); err != nil {
		return fmt.Errorf("move artifacts: %w", err)
	}
	return nil
}

// report returns the common report. It does not describe a cluster, because
// those of the journeys differ.
func (j *journeys) report(problem error) report.Report {
	results := make([]suite.Result, 0, len(j.specs))
	for i, s := range j.specs { // They are in the order of the selected journeys.
		results = append(results, suite.Result{Spec: j.selected[i], Outcome: s.Outcome, Reason: s.Reason})
	}
	return report.Report{
		Run: report.Run{
			ID: j.id, Started: metav1.NewTime(j.started), Duration: metav1.Duration{Duration: time.Since(j.started).Round(time.Second)},
			Version: j.Version, Selection: j.Selection.String(), Flags: j.Flags,
		},
		Cluster: report.Cluster{Provider: Kind},
		Specs:   j.specs, Verdict: report.NewVerdict(results, j.claims, problem),
	}
}

func (j *journeys) write(ctx context.Context, r report.Report) error {
	run := runner{plan: j.plan, dir: j.dir, report: r}
	return run.write(ctx)
}

// Journey runs the journey that the configuration read from in selects.
func Journey(ctx context.Context, in io.Reader, out io.Writer, all []suite.Spec) (report.Report, error) {
	var c Config
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return report.Report{}, fmt.Errorf("read which journey to run: %w", err)
	}
	selected, err := c.Selection.Select(all)
	if err != nil {
		return report.Report{}, err
	}
	for i := range selected { // The scheduler may differ from the journey's own.
		own := *selected[i].Journey
		own.InitialCluster.Scheduler = c.Scheduler
		selected[i].Journey = &own
	}
	c.Progress = progress.New(out)
	return Run(ctx, c, selected)
}
