package features

import (
	"fmt"

	"golang.org/x/mod/semver"
)

// separateCounters is the first release in which counters are in separate
// slices from the devices that consume them.
const separateCounters = "v1.35"

// countersIgnored describes the case in which a scheduler that is older than
// its API server does not read counters from where the API server accepts them.
// It returns an empty string otherwise. Partitions seem to consume nothing in
// that case, so specs about them prove nothing.
func countersIgnored(server, scheduler string) string {
	older := func(release string) bool { return semver.Compare(semver.MajorMinor(release), separateCounters) < 0 }
	if server == "" || scheduler == "" || older(server) || !older(scheduler) {
		return ""
	}
	return fmt.Sprintf("the API server %s accepts counters only in separate slices, where the scheduler %s ignores them", server, scheduler)
}
