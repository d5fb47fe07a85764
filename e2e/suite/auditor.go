package suite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/e2e/audit"
)

// auditInterval is the interval between two audits of the cluster while a spec
// runs.
const auditInterval = 2 * time.Second

// audited is a spec that an auditor watches. The auditor checks its invariants
// in addition to the assertions of the spec.
type audited struct {
	auditor  *audit.Auditor
	follower *audit.Follower
	// turns records which schedulers allocate.
	turns turns
	// leave stops the follower. stop stops the periodic audits; done is closed
	// when they have ended.
	leave, stop context.CancelFunc
	done        chan struct{}
	// patience is how long the last audit is retried.
	patience time.Duration

	mu     sync.Mutex
	alarms []string
	err    error // why watching the cluster failed
}

// watch starts to audit the devices that the spec may use. The first audit has
// ended when it returns, so that the auditor checks all later changes.
func (e *Env) watch(ctx context.Context, there Situation) *audited {
	looks, stop := context.WithCancel(ctx)
	// The last audit runs after the spec's context has ended.
	following, leave := context.WithCancel(context.WithoutCancel(ctx))
	drivers := append(e.Subject.Drivers(), e.stageDriver())
	a := &audited{follower: audit.Follow(following, e.Client, drivers), leave: leave, stop: stop, done: make(chan struct{}), patience: e.Timeouts.Refuse, auditor: audit.New(audit.Config{
		Drivers: drivers,
	})}
	a.turns.begin(schedulerOf(there))
	// An error of the API server is ignored here. The spec fails on its own if
	// the error persists.
	_ = a.look(ctx)
	go func() {
		defer close(a.done)
		a.err = a.auditor.Watch(looks, a.read, auditInterval, a.tell)
	}()
	return a
}

// begin informs the auditor that another scheduler allocates from now on.
func (a *audited) begin(s audit.Scheduler) { a.turns.begin(s) }

func (a *audited) tell(alarm audit.Alarm) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.alarms = append(a.alarms, alarm.String())
}

// end runs the last audit and returns all alarms.
func (a *audited) end(ctx context.Context) []string {
	a.stop()
	<-a.done
	defer a.depart(ctx)
	// Without the last audit, changes since the previous one are unchecked.
	for _, err := range []error{a.err, a.lookAgain(ctx)} {
		// The context is canceled to stop watching, which is no error.
		if err != nil && !errors.Is(err, context.Canceled) {
			a.alarms = append(a.alarms, fmt.Sprintf("the cluster could not be audited: %v", err))
		}
	}
	return a.alarms
}

// depart stops the follower and waits for it, at most for auditInterval.
func (a *audited) depart(ctx context.Context) {
	a.leave()
	ctx, cancel := context.WithTimeout(ctx, auditInterval)
	defer cancel()
	a.follower.Wait(ctx)
}

// lookAgain retries look until it succeeds or patience has passed.
func (a *audited) lookAgain(ctx context.Context) error {
	var failed error
	_ = wait.PollUntilContextTimeout(ctx, pollInterval, a.patience, true, func(ctx context.Context) (bool, error) {
		failed = a.look(ctx)
		return failed == nil, nil
	})
	return failed
}

// look runs one audit.
func (a *audited) look(ctx context.Context) error {
	view, err := a.read(ctx)
	if err != nil {
		return err
	}
	for _, alarm := range a.auditor.See(ctx, view) {
		a.tell(alarm)
	}
	return nil
}

// read returns the state of the cluster. It also sets the scheduler whose
// allocations the auditor checks.
func (a *audited) read(ctx context.Context) (audit.View, error) {
	began := a.turns.count()
	view, err := a.follower.Read(ctx)
	if err == nil {
		a.auditor.AllocatedBy(a.turns.seen(began))
	}
	return view, err
}
