// Package auditor audits the devices of a cluster while a spec runs.
package auditor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// interval is the interval between two audits.
const interval = 2 * time.Second

// Auditor audits the cluster while a spec runs. It checks invariants that hold
// for every spec, in addition to the assertions of the spec.
type Auditor struct {
	auditor  *audit.Auditor
	follower *audit.Follower
	// schedulers records which schedulers allocate.
	schedulers schedulers
	// leave stops the follower. stop stops the periodic audits. done is closed
	// when they have ended.
	leave, stop context.CancelFunc
	done        chan struct{}
	// patience is how long the last audit is retried.
	patience time.Duration

	mu     sync.Mutex
	alarms []string
	err    error // why watching the cluster failed
}

// Start starts to audit the devices that the spec may use. The first audit has
// ended when it returns, so that the auditor checks all later changes.
func Start(ctx context.Context, e *env.Env, there env.Target) *Auditor {
	looks, stop := context.WithCancel(ctx)
	// The last audit runs after the spec's context has ended.
	following, leave := context.WithCancel(context.WithoutCancel(ctx))
	drivers := append(e.Subject.Drivers(), simulated.DriverName(e))
	a := &Auditor{follower: audit.Follow(following, e.Client, drivers), leave: leave, stop: stop, done: make(chan struct{}), patience: e.Timeouts.Unschedulable, auditor: audit.New(audit.Config{
		Drivers: drivers,
	})}
	a.schedulers.add(SchedulerOf(there))
	// An error of the API server is ignored here. The spec fails on its own if
	// the error persists.
	_ = a.audit(ctx)
	go func() {
		defer close(a.done)
		a.err = a.auditor.Watch(looks, a.read, interval, a.record)
	}()
	return a
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
	a.stop()
	<-a.done
	defer a.release(ctx)
	// Without the last audit, changes since the previous one are unchecked.
	for _, err := range []error{a.err, a.auditAgain(ctx)} {
		// The context is canceled to stop watching, which is no error.
		if err != nil && !errors.Is(err, context.Canceled) {
			a.alarms = append(a.alarms, fmt.Sprintf("the cluster could not be audited: %v", err))
		}
	}
	return a.alarms
}

// release stops the follower and waits for it, at most for interval.
func (a *Auditor) release(ctx context.Context) {
	a.leave()
	ctx, cancel := context.WithTimeout(ctx, interval)
	defer cancel()
	a.follower.Wait(ctx)
}

// auditAgain retries audit until it succeeds or patience has passed.
func (a *Auditor) auditAgain(ctx context.Context) error {
	var failed error
	_ = wait.PollUntilContextTimeout(ctx, env.PollInterval, a.patience, true, func(ctx context.Context) (bool, error) {
		failed = a.audit(ctx)
		return failed == nil, nil
	})
	return failed
}

// audit runs one audit.
func (a *Auditor) audit(ctx context.Context) error {
	view, err := a.read(ctx)
	if err != nil {
		return err
	}
	for _, alarm := range a.auditor.See(ctx, view) {
		a.record(alarm)
	}
	return nil
}

// read returns the state of the cluster. It also sets the scheduler whose
// allocations the auditor checks.
func (a *Auditor) read(ctx context.Context) (audit.View, error) {
	began := a.schedulers.count()
	view, err := a.follower.Read(ctx)
	if err == nil {
		a.auditor.AllocatedBy(a.schedulers.expected(began))
	}
	return view, err
}
