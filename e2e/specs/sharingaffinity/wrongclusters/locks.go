// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongLocks are clusters that release the affinity locks of devices at the
// wrong time, or never.
var wrongLocks = wrong.Table{
	"scheduler unlocks when claims are deleted": {
		Options: wrong.Misreads(wrong.KeepClaimsUntilDeleted()),
		Spec:    "affinity-lock-lasts-until-last-release",
		Want:    []string{"pod other is not scheduled"},
	},
	"scheduler unlocks with the first release": {
		Options: wrong.Misreads(unlockEarly()),
		Spec:    "affinity-lock-lasts-until-last-release",
		Want:    []string{"pod other should be unschedulable, because the device is locked by the claim that is left"},
	},
	"scheduler never unlocks": {
		Options: wrong.Misreads(wrong.KeepReleasedClaims()),
		Spec:    "affinity-lock-lasts-until-last-release",
		Want:    []string{"pod other is not scheduled"},
	},
	"scheduler infers the values of older claims": {
		Options: wrong.Misreads(inferValues),
		Spec:    "affinity-unknown-until-drained",
		Want:    []string{"pod same should be unschedulable, because a claim on the device states nothing"},
	},
	"scheduler never forgets that values were unknown": {
		Options: wrong.Misreads(wrong.KeepReleasedClaims()),
		Spec:    "affinity-unknown-until-drained",
		Want:    []string{"pod same is not scheduled"},
	},
	"scheduler forgets unknown values with their claims": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) { s.Forgetful = true }),
		Spec:    "affinity-unknown-until-all-are-released",
		Want:    []string{"should be unschedulable, because the device was unknown, and a claim that was on it then has not been released"},
	},
	"scheduler keeps the lock of a pod that it did not bind": {
		Options: afterFailedBinding(func(s *fakecluster.Scene, unbound *resourceapi.ResourceClaim) {
			s.Objects.Claims = append(s.Objects.Claims, unbound)
		}),
		Spec: "affinity-failed-binding-unlocks",
		Want: []string{"pod takes is not scheduled"},
	},
	"scheduler drops the locks of others with that of a pod that it did not bind": {
		Options: afterFailedBinding(func(s *fakecluster.Scene, _ *resourceapi.ResourceClaim) { declareNothing(s) }),
		Spec:    "affinity-failed-binding-unlocks",
		Want:    []string{"pod other should be unschedulable, because the device is locked by an earlier claim"},
	},
	"scheduler loses locks when it is restarted": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Restarts > 0 {
				declareNothing(s)
			}
		}),
		Spec: "affinity-locks-survive-scheduler-restart",
		Want: []string{"pod other should be unschedulable, because the device is locked to another value"},
	},
	"scheduler derives locks after its restart from new claims only": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Restarts > 0 {
				s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(claim *resourceapi.ResourceClaim) bool { return claim.Name == "locks" })
			}
		}),
		Spec: "affinity-locks-survive-scheduler-restart",
		Want: []string{"pod other should be unschedulable, because the device is locked to another value"},
	},
	"scheduler infers values after its restart": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Restarts > 0 {
				inferValues(s)
			}
		}),
		Spec: "affinity-locks-survive-scheduler-restart",
		Want: []string{"pod joins-unknown should be unschedulable, because the claim on the device states nothing"},
	},
	"scheduler is not restarted": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverReturns: true}),
		Spec:    "affinity-locks-survive-scheduler-restart",
		Want:    []string{"while restarting the scheduler", "no scheduler leads"},
	},
}
