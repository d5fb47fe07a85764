package specs_test

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// wrongLocks are clusters that release the affinity locks of devices at the
// wrong time, or never.
var wrongLocks = map[string]mistake{
	"scheduler unlocks when claims are deleted": {
		cluster: misreads(deletedOnly()),
		spec:    "affinity-lock-lasts-until-last-release",
		want:    []string{"pod other is not scheduled"},
	},
	"scheduler unlocks with the first release": {
		cluster: misreads(unlockEarly()),
		spec:    "affinity-lock-lasts-until-last-release",
		want:    []string{"pod other should be refused, because the device is locked by the claim that is left"},
	},
	"scheduler never unlocks": {
		cluster: misreads(neverForgets()),
		spec:    "affinity-lock-lasts-until-last-release",
		want:    []string{"pod other is not scheduled"},
	},
	"scheduler infers the values of older claims": {
		cluster: misreads(infer),
		spec:    "affinity-unknown-until-drained",
		want:    []string{"pod same should be refused, because a claim on the device states nothing"},
	},
	"scheduler never forgets that values were unknown": {
		cluster: misreads(neverForgets()),
		spec:    "affinity-unknown-until-drained",
		want:    []string{"pod same is not scheduled"},
	},
	"scheduler remembers nothing of claims that are gone": {
		cluster: misreads(func(s *fakecluster.Scene) { s.Forgetful = true }),
		spec:    "affinity-unknown-until-all-are-released",
		want:    []string{"should be refused, because the device was unknown, and a claim that was on it then has not been released"},
	},
	"scheduler keeps the lock of a pod that it did not bind": {
		cluster: haunted(false),
		spec:    "affinity-failed-binding-unlocks",
		want:    []string{"pod takes is not scheduled"},
	},
	"scheduler drops the locks of others with that of a pod that it did not bind": {
		cluster: haunted(true),
		spec:    "affinity-failed-binding-unlocks",
		want:    []string{"pod other should be refused, because the device is locked by the claim that was there before"},
	},
	"scheduler forgets locks when it ends": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if s.Restarts > 0 {
				declareNothing(s)
			}
		}),
		spec: "affinity-locks-survive-scheduler-restart",
		want: []string{"pod other should be refused, because the device is locked to another value"},
	},
	"scheduler learns locks after its restart from who comes then": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if s.Restarts > 0 {
				s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(claim *resourceapi.ResourceClaim) bool { return claim.Name == "locks" })
			}
		}),
		spec: "affinity-locks-survive-scheduler-restart",
		want: []string{"pod other should be refused, because the device is locked to another value"},
	},
	"scheduler infers values after its restart": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if s.Restarts > 0 {
				infer(s)
			}
		}),
		spec: "affinity-locks-survive-scheduler-restart",
		want: []string{"pod joins-unknown should be refused, because the claim on the device states nothing"},
	},
	"scheduler does not come back": {
		cluster: makes(fakecluster.Mistakes{NeverReturns: true}),
		spec:    "affinity-locks-survive-scheduler-restart",
		want:    []string{"while restarting the scheduler", "no scheduler leads"},
	},
}
