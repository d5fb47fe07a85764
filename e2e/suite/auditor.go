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

// auditInterval is how often the auditor looks at the cluster while a spec runs.
const auditInterval = 2 * time.Second

// audited is a spec that an auditor watches, whatever the spec itself looks at.
type audited struct {
	auditor  *audit.Auditor
	follower *audit.Follower
	// turns are those of schedulers.
	turns turns
	// leave ends what the follower does, and stop the looks, which are over when done is closed.
	leave, stop context.CancelFunc
	done        chan struct{}
	// patience is how long the last look is tried.
	patience time.Duration

	mu     sync.Mutex
	alarms []string
	err    error // why the cluster could not be watched
}

// watch begins to audit what happens to the devices that the spec may use. The
// first look is over when it returns, so that all that follows is judged.
func (e *Env) watch(ctx context.Context, there Situation) *audited {
	looks, stop := context.WithCancel(ctx)
	// The last look is after the end of the spec's context.
	following, leave := context.WithCancel(context.WithoutCancel(ctx))
	drivers := append(e.Subject.Drivers(), e.stageDriver())
	a := &audited{follower: audit.Follow(following, e.Client, drivers), leave: leave, stop: stop, done: make(chan struct{}), patience: e.Timeouts.Refuse, auditor: audit.New(audit.Config{
		Drivers: drivers,
	})}
	a.turns.begin(schedulerOf(there))
	// An API server that does not answer is no news: the spec itself will tell.
	_ = a.look(ctx)
	go func() {
		defer close(a.done)
		a.err = a.auditor.Watch(looks, a.read, auditInterval, a.tell)
	}()
	return a
}

func (a *audited) tell(alarm audit.Alarm) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.alarms = append(a.alarms, alarm.String())
}

// end looks a last time, and returns all that was wrong.
func (a *audited) end(ctx context.Context) []string {
	a.stop()
	<-a.done
	defer a.depart(ctx)
	// Without the last look nobody knows what has happened since the one before.
	for _, err := range []error{a.err, a.lookAgain(ctx)} {
		// Watching ends with the context, and nothing is wrong with that.
		if err != nil && !errors.Is(err, context.Canceled) {
			a.alarms = append(a.alarms, fmt.Sprintf("the cluster could not be audited: %v", err))
		}
	}
	return a.alarms
}

// depart ends what follows the cluster.
func (a *audited) depart(ctx context.Context) {
	a.leave()
	ctx, cancel := context.WithTimeout(ctx, auditInterval)
	defer cancel()
	a.follower.Wait(ctx)
}

// lookAgain looks until it can.
func (a *audited) lookAgain(ctx context.Context) error {
	var failed error
	_ = wait.PollUntilContextTimeout(ctx, pollInterval, a.patience, true, func(ctx context.Context) (bool, error) {
		failed = a.look(ctx)
		return failed == nil, nil
	})
	return failed
}

// look looks once.
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

// read reads what there is, and lets the auditor know whose work it is.
func (a *audited) read(ctx context.Context) (audit.View, error) {
	began := a.turns.count()
	view, err := a.follower.Read(ctx)
	if err == nil {
		a.auditor.AllocatedBy(a.turns.seen(began))
	}
	return view, err
}
