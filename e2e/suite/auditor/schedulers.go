// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package auditor

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite/env"
)

// schedulers lists the schedulers that may have allocated since the previous
// audit, in order.
type schedulers struct {
	mu  sync.Mutex
	all []audit.Scheduler
}

// add records that another scheduler allocates from now on.
func (t *schedulers) add(s audit.Scheduler) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, s)
}

// count returns the number of schedulers.
func (t *schedulers) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.all)
}

// expected returns what to expect of the schedulers that may have made the
// allocations of an audit. first is the count at the start of the audit. The
// last scheduler of that count may have allocated more since, so it stays for
// the next audit.
func (t *schedulers) expected(first int) audit.Scheduler {
	t.mu.Lock()
	defer t.mu.Unlock()
	combined := t.all[0]
	for _, s := range t.all[1:] {
		combined = combined.Or(s)
	}
	t.all = t.all[first-1:]
	return combined
}

// AnyScheduler is what to expect while one scheduler replaces another.
var AnyScheduler = audit.Scheduler{
	UsesIncompletePools: true, IgnoresCompatibilityGroups: true,
	OmitsTolerations: true, OmitsBindingConditions: true, OmitsSkippedOperations: true,
}

// SchedulerOf returns what to expect of the scheduler of a cluster. One whose release is not
// known may be older by a minor release than the API server (Kubernetes' version skew policy).
func SchedulerOf(target env.Target) audit.Scheduler {
	release := semver.MajorMinor(cmp.Or(target.Scheduler, previous(target.Release)))
	return audit.Scheduler{
		SharingAffinity: target.Found[features.SharingAffinity].Present,
		// Before 1.35, schedulers did not wait for all ResourceSlices of a
		// pool.
		UsesIncompletePools: semver.Compare(release, "v1.35") < 0,
		// Compatibility groups are new in 1.37.
		IgnoresCompatibilityGroups: semver.Compare(release, "v1.37") < 0,
		// Allocations have tolerations since 1.35.
		OmitsTolerations: semver.Compare(release, "v1.35") < 0 || !target.Found[features.DeviceTaints].Present,
		// The API server drops the fields of a disabled feature.
		OmitsBindingConditions: !target.Found[features.BindingConditions].Present,
		OmitsSkippedOperations: !target.Found[features.OptionalNodeOperations].Present,
	}
}

// previous returns the minor release before the one of a release, such as v1.36 for v1.37.1.
func previous(release string) string {
	major, minor, _ := strings.Cut(semver.MajorMinor(release), ".")
	n, err := strconv.Atoi(minor)
	if err != nil || n == 0 {
		return release
	}
	return fmt.Sprintf("%s.%d", major, n-1)
}
