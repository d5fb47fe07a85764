package features

import (
	"fmt"

	"golang.org/x/mod/semver"
)

// countersApart is the first release in which counters are in separate slices
// from the devices that consume them.
const countersApart = "v1.35"

// countersUnread describes the case in which a scheduler that is older than its
// API server does not read counters from where the API server accepts them. It
// returns an empty string otherwise. Partitions seem to consume nothing in that
// case, so specs about them prove nothing.
func countersUnread(server, scheduler string) string {
	older := func(release string) bool { return semver.Compare(semver.MajorMinor(release), countersApart) < 0 }
	if server == "" || scheduler == "" || older(server) || !older(scheduler) {
		return ""
	}
	return fmt.Sprintf("the API server, which is %s, takes counters in slices of their own, where the scheduler, which is %s, does not look for them", server, scheduler)
}
