package features

import (
	"fmt"

	"golang.org/x/mod/semver"
)

// countersApart is the first release in which counters are in slices of their
// own, apart from the devices that consume them.
const countersApart = "v1.35"

// countersUnread says that a scheduler which is older than its API server looks
// for counters where that takes none any more, or nothing. Partitions then seem to
// consume nothing, and no spec about them tells anything.
func countersUnread(server, scheduler string) string {
	older := func(release string) bool { return semver.Compare(semver.MajorMinor(release), countersApart) < 0 }
	if server == "" || scheduler == "" || older(server) || !older(scheduler) {
		return ""
	}
	return fmt.Sprintf("the API server, which is %s, takes counters in slices of their own, where the scheduler, which is %s, does not look for them", server, scheduler)
}
