package suite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/features"
)

// auditInterval is how often the auditor looks at the cluster while a spec runs.
const auditInterval = 2 * time.Second

// audited is a spec that an auditor watches, whatever the spec itself looks at.
type audited struct {
	auditor *audit.Auditor
	env     *Env
	stop    context.CancelFunc
	done    chan struct{}

	mu     sync.Mutex
	alarms []string
	err    error // why the cluster could not be watched
}

// watch begins to audit what happens to the devices that the spec may use. The
// first look is over when it returns, so that all that follows is judged.
func (e *Env) watch(ctx context.Context, there Situation) *audited {
	ctx, stop := context.WithCancel(ctx)
	a := &audited{env: e, stop: stop, done: make(chan struct{}), auditor: audit.New(audit.Config{
		Drivers:         append(e.Subject.Drivers(), e.stageDriver()),
		SharingAffinity: there.Found[features.SharingAffinity].Present,
		// Until then schedulers did not wait for all slices of a pool.
		UsesIncompletePools: semver.Compare(semver.MajorMinor(there.Release), "v1.35") < 0,
	})}
	a.look(ctx)
	go func() {
		defer close(a.done)
		a.err = a.auditor.Watch(ctx, e.Client, auditInterval, a.tell)
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
	a.look(ctx)
	// Watching ends with the context, and nothing is wrong with that.
	if a.err != nil && !errors.Is(a.err, context.Canceled) {
		a.alarms = append(a.alarms, fmt.Sprintf("the cluster could not be audited: %v", a.err))
	}
	return a.alarms
}

// look looks once. An API server that does not answer is no news to the spec.
func (a *audited) look(ctx context.Context) {
	view, err := audit.Read(ctx, a.env.Client)
	if err != nil {
		return
	}
	for _, alarm := range a.auditor.See(ctx, view) {
		a.tell(alarm)
	}
}
