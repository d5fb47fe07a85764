// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/draconform/draconform/e2e/internal/contexts"
)

// Ended is the cause of the end of a run: a component of a control plane that the run has
// started has ended, although nothing has ended it.
type Ended struct {
	// Component is the name of the component, such as kube-scheduler. Result is how it has
	// ended, such as "exit status 2".
	Component string `json:"component"`
	Result    string `json:"result"`
	// Text also has the path of its log, and the lines of it that matter.
	Text string `json:"text"`
	// Tested states that specs test the component, so that its end is a failure.
	// Without other components, such as etcd, nothing can be tested.
	Tested bool `json:"tested"`
	// Process is the number of the process of the run that has started it.
	Process int `json:"process"`
	// Elsewhere states that the specs of this process use another control plane.
	Elsewhere bool `json:"-"`
	// At is when the end was noticed.
	At time.Time `json:"at"`
}

func (e *Ended) Error() string { return e.Text }

// Is reports that what ends with the run is cancelled: clients return the cause.
func (e *Ended) Is(target error) bool { return target == context.Canceled }

// Summary returns which component has ended and how, in one line.
func (e *Ended) Summary() string { return fmt.Sprintf("%s has ended: %s", e.Component, e.Result) }

// EndedIn returns why the run of a context has ended, or nil if no component has.
func EndedIn(ctx context.Context) *Ended {
	ended, _ := errors.AsType[*Ended](context.Cause(ctx))
	return ended
}

// noticeTimeout bounds the wait for the end of a run whose control plane has lost a
// component. The run notices it when the process has ended, and tells its other processes.
const noticeTimeout = 2 * time.Second

// awaitEnd waits until the run ends, if it is about to.
func awaitEnd(run context.Context) {
	ctx, cancel := context.WithTimeout(run, noticeTimeout)
	defer cancel()
	<-ctx.Done()
}

// fails reports whether the specs that run when the component ends fail. Others say
// nothing then.
func (e *Ended) fails() bool { return e != nil && e.Tested && !e.Elsewhere }

// ownFailures are the states of specs that were not ended by a signal.
const ownFailures = types.SpecStateFailed | types.SpecStatePanicked | types.SpecStateTimedout

// cut returns the outcome of a spec of a run that has ended, with its reason and its state
// in the JUnit report. It returns false if the spec had its outcome before.
func (e *Ended) cut(report ginkgo.SpecReport) (result Result, state types.SpecState, cut bool) {
	switch {
	case e == nil || report.State.Is(types.SpecStatePassed) && !e.fails():
		return Result{}, 0, false
	case report.State.Is(types.SpecStateSkipped | types.SpecStatePending):
		return Result{Outcome: Skipped, Reason: "not run, because " + e.Summary()}, types.SpecStateSkipped, true
	case report.State.Is(ownFailures) && report.Failure.TimelineLocation.Time.Before(e.At):
		return Result{}, 0, false
	case !e.fails():
		return Result{Outcome: Skipped, Reason: "not finished, because " + e.Text}, types.SpecStateInterrupted, true
	}
	result = Result{Outcome: Failed, Reason: e.Text, FailedAt: e.At}
	if all := steps(report); len(all) > 0 {
		result.Reason = "while " + all[len(all)-1].Text + ": " + e.Text
	}
	// The message of the failure itself is that the context of the spec has ended.
	for _, more := range report.AdditionalFailures {
		result.Reason += "\n" + message(more.Failure)
	}
	return result, types.SpecStateFailed, true
}

// untilEnded returns a copy of ctx that also ends when a component of the control plane of
// the run has ended. Nothing needs to be removed from a control plane that is removed.
func untilEnded(ctx, run context.Context) (_ context.Context, stop func()) {
	return contexts.EndingWith(ctx, run, func() error {
		if ended := EndedIn(run); ended != nil {
			return ended
		}
		return nil
	})
}
