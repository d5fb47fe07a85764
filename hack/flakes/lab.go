package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
)

const (
	// runTimeout is many times as long as a part takes.
	runTimeout = 90 * time.Minute
	// removeTimeout is how long a run that was interrupted may take to remove its cluster.
	removeTimeout = 5 * time.Minute
	// outputFile has what a run told.
	outputFile = "output.log"
)

// lab is where parts are run.
type lab struct {
	draconform, dir string
	beside          int
	progress        *progress.Reporter
}

// buildOf is a name for a build of a command: one commit always has the same.
func buildOf(command string) (string, error) {
	f, err := os.Open(command)
	if err != nil {
		return "", fmt.Errorf("look which build of draconform there is: %w", err)
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("look which build of draconform %s is: %w", command, err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

// all runs what has not been run yet, round by round. What fails is in the reports;
// the error is about runs that left none.
func (l *lab) all(ctx context.Context, parts []part, rounds int) error {
	var at errgroup.Group
	at.SetLimit(l.beside)
	errs := make(chan error, len(parts)*rounds)
	for round := 1; round <= rounds; round++ {
		for _, p := range parts {
			if ctx.Err() != nil || l.has(p, round) {
				continue
			}
			at.Go(func() error {
				errs <- l.run(ctx, p, round)
				return nil
			})
		}
	}
	_ = at.Wait() // Each part has its own error.
	close(errs)
	all := []error{context.Cause(ctx)}
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}

func (l *lab) folder(p part, round int) string {
	return filepath.Join(l.dir, p.name, strconv.Itoa(round))
}

// has reports whether a part has been run in a round, however it came out. One that was interrupted has not.
func (l *lab) has(p part, round int) bool {
	r, err := l.read(p, round)
	return err == nil && r.Verdict.Result != report.Incomplete
}

// read returns the report of a part in a round.
func (l *lab) read(p part, round int) (report.Report, error) {
	found, err := filepath.Glob(filepath.Join(l.folder(p, round), "*", report.File))
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("there are %d reports and not one in %s", len(found), l.folder(p, round))
	}
	if err != nil {
		return report.Report{}, err
	}
	return report.Read(found[0])
}

// run runs a part in a process of its own. What an earlier one left that did not come to its end is removed.
func (l *lab) run(ctx context.Context, p part, round int) error {
	if ctx.Err() != nil {
		return nil
	}
	st := l.progress.Stage("round %d of %s", round, p.name)
	dir := l.folder(p, round)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return st.Fail(fmt.Errorf("make the folder of round %d of %s: %w", round, p.name, err))
	}
	output, err := os.Create(filepath.Join(dir, outputFile))
	if err != nil {
		return st.Fail(fmt.Errorf("keep the output of round %d of %s: %w", round, p.name, err))
	}
	defer func() { _ = output.Close() }()
	bounded, cancel := context.WithTimeoutCause(ctx, runTimeout, fmt.Errorf("it takes more than %s", runTimeout))
	defer cancel()
	cmd := exec.CommandContext(bounded, l.draconform, append(p.args, "--artifacts", dir)...)
	cmd.Stdout, cmd.Stderr = output, output
	// Interrupted, it removes its cluster.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = removeTimeout
	ended := cmd.Run()
	if ctx.Err() != nil {
		_ = st.Fail(context.Cause(ctx)) // All of them are told so at once.
		return nil
	}
	r, err := l.read(p, round)
	if err != nil {
		return st.Fail(fmt.Errorf("run round %d of %s, see %s: %w", round, p.name, output.Name(), errors.Join(context.Cause(bounded), ended, err)))
	}
	st.Done(string(r.Verdict.Result))
	return nil
}
