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
	// runTimeout bounds the run of a part. It is many times the usual duration.
	runTimeout = 90 * time.Minute
	// removeTimeout bounds the removal of the cluster of an interrupted run.
	removeTimeout = 5 * time.Minute
)

// lab runs parts and stores their reports.
type lab struct {
	draconform, dir string
	beside          int
	progress        *progress.Reporter
}

// buildOf returns an identifier of a build of a command, which is the same for all builds of one commit.
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

// all runs the parts that have no report yet, round by round. Failures of parts are in their reports. The error is
// about runs without a report.
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
	_ = at.Wait() // The errors of the parts are in errs.
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

// has reports whether a part has a complete report of a round, with any result. An interrupted run is not complete.
func (l *lab) has(p part, round int) bool {
	r, err := l.read(p, round)
	return err == nil && r.Verdict.Result != report.Incomplete
}

// read returns the report of a part in a round.
func (l *lab) read(p part, round int) (report.Report, error) {
	return command.ReadReport(l.folder(p, round))
}

// run runs a part in a separate process. It first removes the files of an earlier run that was not completed.
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
		_ = st.Fail(context.Cause(ctx)) // All running parts end at the same time.
		return nil
	}
	if err != nil {
		return st.Fail(fmt.Errorf("run round %d of %s: %w", round, p.name, err))
	}
	if r.Verdict.Result != report.Passed {
		_ = st.Fail(errors.New(string(r.Verdict.Result))) // The table contains the reason.
		return nil
	}
	st.Done(string(r.Verdict.Result))
	return nil
}

// interrupted reports whether the runs were interrupted.
func interrupted(ctx context.Context) bool { return ctx.Err() != nil }
