package suite

import (
	"cmp"
	"sync"

	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/features"
)

// turns are the schedulers that a cluster has had since it was looked at, one after
// the other.
type turns struct {
	mu  sync.Mutex
	all []audit.Scheduler
}

// begin says that another scheduler allocates from now on.
func (t *turns) begin(s audit.Scheduler) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, s)
}

// count is how many there are.
func (t *turns) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.all)
}

// seen is what may be expected of who allocated what a look found. Of the turns
// that there were when the look began, the last one may have allocated more since.
func (t *turns) seen(began int) audit.Scheduler {
	t.mu.Lock()
	defer t.mu.Unlock()
	together := t.all[0]
	for _, s := range t.all[1:] {
		together = together.Or(s)
	}
	t.all = t.all[began-1:]
	return together
}

// anyScheduler is what may be expected while one takes over from another.
var anyScheduler = audit.Scheduler{UsesIncompletePools: true}

// schedulerOf is what may be expected of the scheduler of a cluster.
func schedulerOf(there Situation) audit.Scheduler {
	return audit.Scheduler{
		SharingAffinity: there.Found[features.SharingAffinity].Present,
		// Until then schedulers did not wait for all slices of a pool.
		UsesIncompletePools: semver.Compare(semver.MajorMinor(cmp.Or(there.Scheduler, there.Release)), "v1.35") < 0,
	}
}
