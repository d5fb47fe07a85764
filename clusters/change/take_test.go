// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/skew"
)

// fakeChange is a change that records its calls.
type fakeChange struct {
	done                               []string
	applyErr, readyErr, crashesErr     error
	restoreErr, restoredErr            error
	onApply                            func()
	readyPolls, restoredPolls, longest int
}

func (f *fakeChange) changing() changing {
	note := func(what string, err error) func(context.Context) error {
		return func(context.Context) error { f.done = append(f.done, what); return err }
	}
	return changing{
		apply: func(ctx context.Context) error {
			if f.onApply != nil {
				f.onApply()
			}
			return note("apply", f.applyErr)(ctx)
		},
		ready: func(context.Context) error {
			if f.readyPolls++; f.readyPolls <= f.longest {
				return errors.New("starting")
			}
			return f.readyErr
		},
		restore:  note("restore", f.restoreErr),
		restored: func(context.Context) error { f.restoredPolls++; return f.restoredErr },
		crashes:  func(context.Context) error { return f.crashesErr },
		log:      func(context.Context) string { return "last log line" },
	}
}

var aStep = skew.Step{
	From: skew.Running{Instance: skew.Instance{Component: skew.APIServer}, Release: clusters.Release{Minor: "1.36", Version: "1.36.3"}},
	To:   skew.Running{Instance: skew.Instance{Component: skew.APIServer}, Release: clusters.Release{Minor: "1.37", Version: "1.37.2"}},
}

func silent(string, ...any) {}

func TestTakeWaitsUntilReady(t *testing.T) {
	g := NewWithT(t)
	f := &fakeChange{longest: 2}
	g.Expect(take(t.Context(), aStep, f.changing(), time.Minute, silent)).To(Succeed())
	g.Expect(f.done).To(Equal([]string{"apply"}))
	g.Expect(f.readyPolls).To(Equal(3))
}

// In a time of its own, the new instance is checked at least once.
func TestTakeRollsBackAfterTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		f := &fakeChange{readyErr: errors.New("its pod is not ready")}
		err := take(t.Context(), aStep, f.changing(), 10*time.Millisecond, silent)
		g.Expect(err).To(MatchError("apiserver: 1.36.3 to 1.37.2: wait until it is ready: timed out after 10ms: its pod is not ready; " +
			"last lines of its log:\nlast log line\nit was rolled back"))
		g.Expect(f.done).To(Equal([]string{"apply", "restore"}))
		g.Expect(f.restoredPolls).To(Equal(1), "until the old one is ready")
	})
}

func TestTakeRollsBackIfTheChangeFails(t *testing.T) {
	g := NewWithT(t)
	f := &fakeChange{applyErr: errors.New("no space left")}
	err := take(t.Context(), aStep, f.changing(), time.Minute, silent)
	g.Expect(err).To(MatchError("apiserver: 1.36.3 to 1.37.2: no space left\nit was rolled back"))
	g.Expect(f.done).To(Equal([]string{"apply", "restore"}), "the change may be incomplete")
}

func TestTakeFailsEarlyIfTheInstanceCrashes(t *testing.T) {
	g := NewWithT(t)
	f := &fakeChange{readyErr: errors.New("connection refused"), crashesErr: errors.New("its container has ended 3 times")}
	err := take(t.Context(), aStep, f.changing(), time.Hour, silent)
	g.Expect(err).To(MatchError(ContainSubstring("its container has ended 3 times: connection refused; last lines of its log:\nlast log line")))
	g.Expect(f.done).To(Equal([]string{"apply", "restore"}))
}

// After an interruption, take rolls the change back completely but does not
// wait for readiness.
func TestTakeRollsBackWhenInterrupted(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	f := &fakeChange{readyErr: errors.New("starting"), restoredErr: errors.New("starting"), onApply: func() { cancel(errors.New("interrupted")) }}
	err := take(ctx, aStep, f.changing(), time.Hour, silent)
	g.Expect(err).To(MatchError("apiserver: 1.36.3 to 1.37.2: wait until it is ready: interrupted: it was not checked in time\nit was rolled back"))
	g.Expect(f.done).To(Equal([]string{"apply", "restore"}))
	g.Expect(f.restoredPolls).To(BeZero())
}

// An instance that was not healthy before the change is restored without
// waiting for readiness.
func TestTakeDoesNotWaitForAnUnsettledInstance(t *testing.T) {
	g := NewWithT(t)
	f := &fakeChange{readyErr: errors.New("its pod is not ready")}
	again := aStep
	again.From.Unsettled = "its pod is not ready"
	g.Expect(take(t.Context(), again, f.changing(), 10*time.Millisecond, silent)).To(MatchError(HaveSuffix("it was rolled back")))
	g.Expect(f.done).To(Equal([]string{"apply", "restore"}))
	g.Expect(f.restoredPolls).To(BeZero())
}

func TestTakeReportsAFailedRollback(t *testing.T) {
	for name, f := range map[string]*fakeChange{
		"at all":           {readyErr: errors.New("starting"), restoreErr: errors.New("no such container")},
		"so that it works": {readyErr: errors.New("starting"), restoredErr: errors.New("no such container")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				err := take(t.Context(), aStep, f.changing(), 10*time.Millisecond, silent)
				g.Expect(err).To(MatchError(ContainSubstring("roll it back: ")))
				g.Expect(err).To(MatchError(ContainSubstring("no such container")))
				g.Expect(err).NotTo(MatchError(ContainSubstring("it was rolled back")))
			})
		})
	}
}
