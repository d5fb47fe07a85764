// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package auditor audits the devices of a cluster while a spec runs.
package auditor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/simulated"
	"github.com/draconform/draconform/e2e/suite/taintrules"
)

// interval is the interval between two audits.
const interval = 2 * time.Second

// StopTimeout is how long [Auditor.Stop] waits for watch events at most, in an audit that
// has begun and in the last one.
const StopTimeout = 2 * audit.EventTimeout

// Auditor audits the cluster while a spec runs. It checks invariants that hold
// for every spec, in addition to the assertions of the spec.
type Auditor struct {
	auditor *audit.Auditor
	// follower is nil in a release with classic DRA.
	follower *audit.Follower
	// readView reads the state of the cluster.
	readView func(context.Context) (audit.View, error)
	// schedulers records which schedulers allocate.
	schedulers schedulers
	// stopFollower and stopAudits stop the follower and the periodic audits.
	// done is closed when the audits have stopped.
	stopFollower, stopAudits context.CancelFunc
	done                     chan struct{}
	// retryTimeout is how long the last audit is retried.
	retryTimeout time.Duration

	mu     sync.Mutex
	alarms []string
	err    error // why watching the cluster failed
}

// Start starts to audit the devices that the spec may use. The first audit has
// ended when it returns, so that the auditor checks all later changes.
func Start(ctx context.Context, e *env.Env, target env.Target) *Auditor {
	// The last audit runs after the spec's context has ended.
	following, stopFollower := context.WithCancel(context.WithoutCancel(ctx))
	drivers := append(e.Subject.Drivers(), simulated.DriverNames(e)...)
	a := &Auditor{follower: audit.Follow(following, e.Client, drivers), stopFollower: stopFollower, retryTimeout: e.Timeouts.Response, auditor: audit.New(audit.Config{
		Drivers: drivers,
		// Where specs get more time, the scheduler may take longer, too: DefaultLag is for 2 min.
		Lag: max(audit.DefaultLag, e.Timeouts.Unschedulable/12),
	})}
	if e.Guest != nil {
		a.follower.Namespace = e.Namespace
	} else {
		a.follower.PodsOf = namespaces.Of(e)
	}
	if target.Found[features.DeviceTaintRules].Present && e.Guest == nil {
		a.follower.TaintRules = taintrules.Lister(e.Client, metav1.ListOptions{})
	}
	a.readView = a.follower.Read
	a.schedulers.add(SchedulerOf(target))
	a.begin(ctx)
	return a
}

// begin runs the first audit, and then audits periodically.
func (a *Auditor) begin(ctx context.Context) {
	audits, stopAudits := context.WithCancel(ctx)
	a.stopAudits, a.done = stopAudits, make(chan struct{})
	// An error of the API server is ignored here. The spec fails on its own if
	// the error persists.
	_ = a.audit(ctx)
	go func() {
		defer close(a.done)
		a.err = a.auditor.Watch(audits, a.read, interval, a.record)
	}()
}

// SchedulerChanged records that another scheduler allocates from now on.
func (a *Auditor) SchedulerChanged(s audit.Scheduler) { a.schedulers.add(s) }

func (a *Auditor) record(alarm audit.Alarm) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.alarms = append(a.alarms, alarm.String())
}

// Stop runs the last audit and returns all alarms.
func (a *Auditor) Stop(ctx context.Context) []string {
	a.stopAudits()
	<-a.done
	defer a.stopFollowing(ctx)
	// Without the last audit, changes since the previous one are unchecked.
	for _, err := range []error{a.err, a.auditWithRetries(ctx)} {
		// The context is canceled to stop watching, which is no error.
		if err != nil && !errors.Is(err, context.Canceled) {
			a.alarms = append(a.alarms, fmt.Sprintf("the cluster could not be audited: %v", err))
		}
	}
	return a.alarms
}

// stopFollowing stops the follower and waits for it, at most for interval.
func (a *Auditor) stopFollowing(ctx context.Context) {
	a.stopFollower()
	if a.follower == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, interval)
	defer cancel()
	a.follower.Wait(ctx)
}

// auditWithRetries retries audit until it succeeds or retryTimeout has passed.
func (a *Auditor) auditWithRetries(ctx context.Context) error {
	var lastErr error
	_ = wait.PollUntilContextTimeout(ctx, env.PollInterval, a.retryTimeout, true, func(ctx context.Context) (bool, error) {
		lastErr = a.audit(ctx)
		return lastErr == nil, nil
	})
	return lastErr
}

// audit runs one audit.
func (a *Auditor) audit(ctx context.Context) error {
	view, err := a.read(ctx)
	if err != nil {
		return err
	}
	for _, alarm := range a.auditor.Audit(ctx, view) {
		a.record(alarm)
	}
	return nil
}

// read returns the state of the cluster. It also sets the scheduler whose
// allocations the auditor checks.
func (a *Auditor) read(ctx context.Context) (audit.View, error) {
	count := a.schedulers.count()
	view, err := a.readView(ctx)
	if err == nil {
		a.auditor.AllocatedBy(a.schedulers.expected(count))
	}
	return view, err
}
