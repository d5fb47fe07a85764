// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/live"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/internal/parallel"
)

// JourneyCommand returns the command that runs one journey. It must call
// [Journey] with its standard input.
type JourneyCommand func(context.Context) *exec.Cmd

// CheckHost states why the host lacks resources for clusters with the given
// numbers of workers at the same time. It returns an empty string if the host has
// enough or if that is unknown.
type CheckHost func(ctx context.Context, workers ...int) string

// Journeys runs the selected journeys, Config.Parallel at the same time, each in a kind
// cluster of its own that is the journey's initial cluster, and returns a common report. A
// journey that passed and has restored its cluster leaves it to another one that starts
// with such a cluster. Journeys that exceed the resources of the host are not applicable.
// If several at the same time exceed them, no journey runs, and the error wraps
// [ErrConfig]. Each journey runs in its own process, because specs can run only once in a
// process. Their output is written to out. The error states why the run could not be
// completed.
func Journeys(ctx context.Context, c Config, all []suite.Spec, command JourneyCommand, check CheckHost, out io.Writer) (report.Report, error) {
	return journeysWith(ctx, removeLeft, c, all, command, check, out)
}

// journeysWith is [Journeys] with this function for a handover.
func journeysWith(
	ctx context.Context, remove func(context.Context, leftCluster) error, c Config, all []suite.Spec, command JourneyCommand, check CheckHost, out io.Writer,
) (report.Report, error) {
	c.Provider = Kind
	p, err := c.plan(all)
	if err != nil {
		return report.Report{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	j := &journeys{plan: p, dir: filepath.Join(c.Dir, p.id), command: command, check: check, out: out}
	if reason := j.noRoomInParallel(ctx); reason != "" {
		return report.Report{}, fmt.Errorf("%w: %d journeys at the same time: %s", ErrConfig, c.Parallel, reason)
	}
	j.handover = newHandover(p.selected, remove)
	if err := os.MkdirAll(j.dir, 0o755); err != nil {
		return report.Report{}, fmt.Errorf("make the folder of the run: %w", err)
	}
	if j.live, err = live.Create(j.dir, live.Run{ID: p.id, Version: p.Version, Started: p.started}); err != nil {
		return report.Report{}, err
	}
	defer j.live.Close()
	j.live.Planned(len(p.selected))
	running := progress.New(io.Discard) // In a terminal, the journeys show their own progress.
	defer j.live.Follow(running)()
	j.running = running.Task("journeys")
	defer j.running.Done("")
	p.Progress.Printf("run %s, %d journeys, results in %s", p.id, len(p.selected), j.dir)
	err = j.all(ctx)
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
	live    *live.Log
	running *progress.Task
	// handover has the clusters that journeys have left.
	handover *handover
	// specs are the results, in the order of the selected journeys.
	specs []report.Spec
	// failed states that a journey has failed that is not provisional.
	failed atomic.Bool
}

// noRoomInParallel states why the host lacks resources for several journeys at the
// same time, although it has enough for each of them.
func (j *journeys) noRoomInParallel(ctx context.Context) string {
	if j.Parallel < 2 {
		return ""
	}
	var workers []int
	for _, s := range j.selected {
		if n := s.Journey.InitialCluster.Workers; j.check(ctx, n) == "" {
			workers = append(workers, n)
		}
	}
	slices.Sort(workers)
	largest := workers[max(0, len(workers)-j.Parallel):]
	if len(largest) < 2 {
		return ""
	}
	return j.check(ctx, largest...)
}

// all runs the journeys, if several at the same time, those that take longest first. It
// starts no more after a failure only with FailFast.
func (j *journeys) all(ctx context.Context) error {
	j.specs = make([]report.Spec, len(j.selected))
	for i, s := range j.selected {
		j.specs[i] = newResult(s, suite.Skipped, "not run, because an earlier journey failed or the run was interrupted")
	}
	stop := func() bool { return ctx.Err() != nil || j.FailFast && j.failed.Load() }
	order := j.order()
	err := parallel.InOrder(len(order), j.Parallel, stop, func(i int) error { return j.run(ctx, order[i]) })
	return errors.Join(err, j.handover.close(ctx))
}

// order returns the positions of the journeys in the order in which they start.
func (j *journeys) order() []int {
	positions := make([]int, len(j.selected))
	for i := range positions {
		positions[i] = i
	}
	if j.Parallel > 1 {
		slices.SortStableFunc(positions, func(a, b int) int { return cmp.Compare(secondsOf(j.selected[b]), secondsOf(j.selected[a])) })
	}
	return positions
}

// newResult returns the result of a journey that has no report of its own.
func newResult(s suite.Spec, outcome suite.Outcome, reason string) report.Spec {
	return report.Spec{
		ID: s.ID, Description: s.Description, Profile: s.Profile, Level: s.Level.String(), Component: s.Component, Features: s.Features,
		Outcome: outcome, Reason: reason, Journey: &report.Journey{Start: s.Journey.InitialCluster},
	}
}

// run runs one of the selected journeys, unless it exceeds the resources of the host.
func (j *journeys) run(ctx context.Context, i int) error {
	s, result := j.selected[i], &j.specs[i]
	j.running.Begin(s.ID)
	defer func() {
		j.running.End(s.ID)
		j.live.Finished(*result)
	}()
	if reason := j.check(ctx, s.Journey.InitialCluster.Workers); reason != "" {
		j.Progress.Printf("journey %d of %d: %s: %s", i+1, len(j.selected), s.ID, reason)
		*result = newResult(s, suite.NotApplicable, reason)
		j.handover.skip(s.Journey.InitialCluster)
		return nil
	}
	j.Progress.Printf("journey %d of %d: %s, from %s", i+1, len(j.selected), s.ID, s.Journey.InitialCluster)
	got, err := j.one(ctx, s)
	*result = newResult(s, "", "")
	if got != nil {
		*result = *got
		err = errors.Join(err, checkRan(*got))
	}
	if result.Outcome != suite.Passed && s.Level != suite.Provisional {
		j.failed.Store(true)
	}
	if err != nil {
		return fmt.Errorf("journey %s: %w", s.ID, err)
	}
	return nil
}

// checkRan returns an error if a journey was not run although its cluster was
// created for it.
func checkRan(result report.Spec) error {
	if result.Outcome == suite.NotApplicable || result.Outcome == suite.NotSupported {
		return fmt.Errorf("did not run in its own cluster: %s", result.Reason)
	}
	return nil
}

// report returns the common report. It does not describe a cluster, because
// those of the journeys differ.
func (j *journeys) report(problem error) report.Report {
	results := make([]suite.Result, 0, len(j.specs))
	for i, s := range j.specs {
		results = append(results, suite.Result{Spec: j.selected[i], Outcome: s.Outcome, Reason: s.Reason})
	}
	return report.Report{
		Run: j.reportRun(), Cluster: report.Cluster{Provider: Kind}, Specs: j.specs, Verdict: report.NewVerdict(results, j.claims, problem),
	}
}

func (j *journeys) write(ctx context.Context, r report.Report) error {
	run := runner{plan: j.plan, dir: j.dir, report: r}
	return run.write(ctx)
}
