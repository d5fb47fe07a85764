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

	"golang.org/x/sync/errgroup"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/hack/internal/command"
)

const (
	// runTimeout is many times as long as a part takes.
	runTimeout = 90 * time.Minute
	// removeTimeout is how long a run that was interrupted may take to remove its cluster.
	removeTimeout = 5 * time.Minute
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
			if interrupted(ctx) || l.has(p, round) {
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
	return command.ReadReport(l.folder(p, round))
}

// run runs a part in a process of its own. What an earlier one left that did not come to its end is removed.
func (l *lab) run(ctx context.Context, p part, round int) error {
	if interrupted(ctx) {
		return nil
	}
	st := l.progress.Stage("round %d of %s", round, p.name)
	dir := l.folder(p, round)
	if err := os.RemoveAll(dir); err != nil {
		return st.Fail(fmt.Errorf("begin round %d of %s anew: %w", round, p.name, err))
	}
	r, err := command.Run{Command: l.draconform, Args: p.args, Dir: dir, Timeout: runTimeout, CleanUp: removeTimeout}.Report(ctx)
	if interrupted(ctx) {
		_ = st.Fail(context.Cause(ctx)) // All of them are told so at once.
		return nil
	}
	if err != nil {
		return st.Fail(fmt.Errorf("run round %d of %s: %w", round, p.name, err))
	}
	if r.Verdict.Result != report.Passed {
		_ = st.Fail(errors.New(string(r.Verdict.Result))) // The table has why.
		return nil
	}
	st.Done(string(r.Verdict.Result))
	return nil
}

// interrupted reports whether all is to end.
func interrupted(ctx context.Context) bool { return ctx.Err() != nil }
