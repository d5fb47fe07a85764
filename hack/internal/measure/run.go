// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Run is what was observed of one run of a command.
type Run struct {
	Begun    time.Time
	Timeline Timeline
	Samples  Series
}

// Observe runs a command until it ends, and observes it. The command's output is
// written to a file, each line with the seconds since the start, and each line is
// passed to update. It returns an error if the command fails, runs no spec or prints
// no verdict.
func Observe(ctx context.Context, cmd *exec.Cmd, log string, update func(string, ...any)) (Run, error) {
	r := Run{Begun: time.Now()}
	err := r.observe(ctx, cmd, log, update)
	if err == nil {
		if _, found := r.Timeline.FirstSpecs(); !found || r.Timeline.Verdict == "" {
			err = errors.New("it ran no spec or printed no verdict")
		}
	}
	if err != nil {
		return r, fmt.Errorf("%w, see %s", err, log)
	}
	return r, nil
}

func (r *Run) observe(ctx context.Context, cmd *exec.Cmd, log string, update func(string, ...any)) error {
	output, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	watchCtx, stop := context.WithCancel(ctx)
	defer stop()
	watched := make(chan error, 1)
	go func() { watched <- r.Samples.watch(watchCtx) }()
	if err := cmd.Start(); err != nil {
		stop()
		return errors.Join(err, <-watched)
	}
	read := make(chan error, 1)
	go func() { read <- r.listen(output, log, update) }()
	err := cmd.Wait()
	_ = w.Close()
	stop()
	return errors.Join(err, <-read, <-watched)
}

// listen adds the output of the command to the timeline and writes it to a file.
func (r *Run) listen(output io.Reader, path string, update func(string, ...any)) error {
	log, err := os.Create(path)
	if err != nil {
		_, _ = io.Copy(io.Discard, output)
		return err
	}
	defer func() { _ = log.Close() }()
	for lines := bufio.NewScanner(output); lines.Scan(); {
		at := time.Now()
		r.Timeline.line(at, lines.Text())
		update("%s", lines.Text())
		if _, err := fmt.Fprintf(log, "%8.1f %s\n", at.Sub(r.Begun).Seconds(), lines.Text()); err != nil {
			_, _ = io.Copy(io.Discard, output)
			return err
		}
	}
	_, err = io.Copy(io.Discard, output)
	return err
}

// UntilSpecs returns the duration until the first spec ran.
func (r Run) UntilSpecs() time.Duration {
	s, _ := r.Timeline.FirstSpecs()
	return s.From.Sub(r.Begun)
}

// CPUUntilSpecs returns the processors' time until the first spec ran.
func (r Run) CPUUntilSpecs() time.Duration {
	s, _ := r.Timeline.FirstSpecs()
	cpu, _ := r.Samples.Between(r.Begun, s.From)
	return cpu
}

// UntilVerdict returns the duration until the verdict was printed.
func (r Run) UntilVerdict() time.Duration { return r.Timeline.JudgedAt.Sub(r.Begun) }

// CPUUntilVerdict returns the processors' time until the verdict was printed.
func (r Run) CPUUntilVerdict() time.Duration {
	cpu, _ := r.Samples.Between(r.Begun, r.Timeline.JudgedAt)
	return cpu
}

// Memory returns the maximum memory usage until the verdict in bytes, in addition to
// that at the start.
func (r Run) Memory() int64 {
	_, memory := r.Samples.Between(r.Begun, r.Timeline.JudgedAt)
	return memory
}
