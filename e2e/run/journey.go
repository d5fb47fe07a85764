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
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// journeyProcess is the standard input of the process of a journey.
type journeyProcess struct {
	Config Config `json:"config"`
	// Taken is the cluster that an earlier journey has left. Nil means a new cluster.
	Taken *leftCluster `json:"taken,omitempty"`
	// HandsOn states that another journey can take the cluster.
	HandsOn bool `json:"handsOn,omitempty"`
}

// one runs a journey in a process and returns its result from the process's
// report, or nil if there is none. A cluster that it has left is handed on. One that it
// was to take is removed if the process ended before it had taken it.
func (j *journeys) one(ctx context.Context, s suite.Spec) (*report.Spec, error) {
	start := s.Journey.InitialCluster
	of := journeyProcess{Config: j.configOf(s)}
	of.Taken, of.HandsOn = j.handover.begin(start)
	of.HandsOn = of.HandsOn && !j.Keep
	result, dir, err := j.start(ctx, s, of)
	left, leftErr := readLeft(dir)
	switch {
	case left != nil:
		leftErr = j.handover.end(ctx, start, *left)
	case of.Taken != nil:
		leftErr = errors.Join(leftErr, j.handover.remove(ctx, *of.Taken))
	}
	return result, errors.Join(err, leftErr)
}

// configOf returns the configuration of the run of a journey.
func (j *journeys) configOf(s suite.Spec) Config {
	c := j.Config
	c.Progress, c.Worker, c.Parallel, c.Flags = nil, nil, 0, []string{"--id", s.ID}
	c.Release, c.Gates, c.Scheduler, c.Workers = s.Journey.InitialCluster.Release, s.Journey.InitialCluster.Gates, s.Journey.InitialCluster.Scheduler, s.Journey.InitialCluster.Workers
	c.Selection, c.Dir = suite.Selection{IDs: []string{s.ID}}, filepath.Join(j.dir, "journeys", s.ID)
	return c
}

// start is one without clusters that journeys leave. It returns the folder of the run,
// too, or an empty string if the process has made none.
func (j *journeys) start(ctx context.Context, s suite.Spec, of journeyProcess) (_ *report.Spec, dir string, _ error) {
	described, err := json.Marshal(of)
	if err != nil {
		return nil, "", fmt.Errorf("encode the configuration: %w", err)
	}
	cmd := j.command(ctx)
	out, endOutput := j.output(s.ID)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(described), out, out
	// An interrupted process keeps the logs, removes its cluster and writes its
	// report.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 3 * cleanupTimeout
	ended := cmd.Run()
	endOutput()
	path, err := report.FindRun(of.Config.Dir)
	if err != nil {
		return nil, "", errors.Join(err, ended)
	}
	dir = filepath.Dir(path)
	r, err := report.Read(path)
	if err != nil {
		return nil, dir, errors.Join(err, ended)
	}
	var problem error
	if r.Verdict.Problem != "" {
		problem = errors.New(r.Verdict.Problem)
	}
	for _, got := range r.Specs {
		if got.ID == s.ID {
			return j.shift(got, r.Run.Started.Time), dir, errors.Join(problem, j.moveArtifacts(dir, s.ID))
		}
	}
	return nil, dir, errors.Join(problem, fmt.Errorf("the report %s does not contain the journey", path))
}

// output returns the writer of a journey's output, and a function to call after the last
// write. With several journeys at the same time, each line begins with the id of its
// journey.
func (j *journeys) output(id string) (_ io.Writer, end func()) {
	if j.Parallel < 2 {
		return j.out, func() {}
	}
	l := &lines{write: func(line string) { j.Progress.Printf("%s: %s", id, line) }}
	return l, l.end
}

// lines is a writer that passes on each line when it is complete, and an incomplete one
// at the end.
type lines struct {
	write func(line string)
	begun []byte // The line without an end.
}

func (l *lines) Write(p []byte) (int, error) {
	l.begun = append(l.begun, p...)
	for {
		line, rest, complete := bytes.Cut(l.begun, []byte("\n"))
		if !complete {
			return len(p), nil
		}
		l.write(string(line))
		l.begun = rest
	}
}

func (l *lines) end() {
	if len(l.begun) > 0 {
		l.write(string(l.begun))
		l.begun = nil
	}
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

// Journey runs the journey that the configuration read from in selects.
func Journey(ctx context.Context, in io.Reader, out io.Writer, all []suite.Spec) (report.Report, error) {
	var of journeyProcess
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&of); err != nil {
		return report.Report{}, fmt.Errorf("read which journey to run: %w", err)
	}
	selected, err := of.Config.Selection.Select(all)
	if err != nil {
		return report.Report{}, err
	}
	for i := range selected { // The scheduler may differ from the journey's own.
		own := *selected[i].Journey
		own.InitialCluster.Scheduler = of.Config.Scheduler
		selected[i].Journey = &own
	}
	of.Config.Progress = progress.New(out)
	return run(ctx, of, selected)
}
