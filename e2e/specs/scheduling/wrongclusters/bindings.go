// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite"
)

// wrongBindings are clusters whose scheduler makes mistakes with pods that it
// cannot bind, or that need the room of others.
var wrongBindings = wrong.Table{
	"scheduler keeps claims reserved for a pod that it did not bind": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsReservations: true}), Spec: "failed-binding-releases-claims",
		Want: []string{"claim failing-0 is reserved for pods failing", "because their pod could not be bound"},
	},
	"scheduler keeps the device of the claim that it could not write": {
		Options: wrong.KeepsDevicesOfUnbound(1), Spec: "failed-binding-releases-claims",
		Want: []string{"pod other is not scheduled"},
	},
	"scheduler keeps the devices of the claims after that": {
		Options: wrong.KeepsDevicesOfUnbound(2), Spec: "failed-binding-releases-claims",
		Want: []string{"pod next is not scheduled"},
	},
	"scheduler binds a pod whose claim it could not write": {
		Options: wrong.With(fakecluster.SchedulerMistakes{BindsFirst: true}), Spec: "failed-binding-releases-claims",
		Want: []string{"claim failing-0 is reserved for pods failing"},
	},
	"scheduler keeps claims reserved for a pod whose binding was rejected": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsReservations: true}), Spec: "rejected-binding-releases-claims",
		Want: []string{"claim failing-0 is reserved for pods failing", "because their pod could not be bound"},
	},
	"scheduler keeps claims reserved after one that it cannot update": {
		Options: wrong.With(fakecluster.SchedulerMistakes{StopsUnreserving: true}), Spec: "rejected-binding-releases-claims",
		Want: []string{"claim failing-2 is reserved for pods failing", "because their pod could not be bound"},
	},
	"scheduler takes claims for reserved that it has released": {
		Options: wrong.With(fakecluster.SchedulerMistakes{RemembersReservations: true}), Spec: "rejected-binding-reserves-anew",
		Want: []string{"claim card should be reserved for pod pod, which is bound to its node"},
	},
	"scheduler removes all consumers of the claim of a pod that it cannot bind": {
		Options: wrong.With(fakecluster.SchedulerMistakes{UnreservesAll: true}), Spec: "failed-binding-keeps-other-users",
		Want: []string{"claim user should stay reserved for pod user, which is on its node"},
	},
	"scheduler keeps the devices of deleted claims": {
		Options: wrong.Misreads(wrong.KeepReleasedClaims()), Spec: "deleted-claim-stays-while-used",
		Want: []string{"pod next is not scheduled"},
	},
	"scheduler does not protect claims from their deletion": {
		Options: wrong.With(fakecluster.SchedulerMistakes{AddsNoFinalizers: true}), Spec: "deleted-claim-stays-while-used",
		Want: []string{"pod next should be unschedulable, because the pod of the deleted claim uses the device"},
	},
	"scheduler removes the finalizers of others": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ReplacesFinalizers: true}), Spec: "allocation-keeps-the-rest",
		Want: []string{"claim card should keep the finalizer of a third party, because it is allocated"},
	},
	"scheduler does not preempt": {
		Options: wrong.With(fakecluster.SchedulerMistakes{NeverPreempts: true}), Spec: "preemption-makes-room-for-claims",
		Want: []string{"pod victim is not deleted", "a pod with a higher priority needs its room"},
	},
	"scheduler preempts only for claims that it allocates": {
		Options: wrong.With(fakecluster.SchedulerMistakes{PreemptsForNewOnly: true}), Spec: "preemption-makes-room-for-claims",
		Want: []string{"pod neighbour is not deleted", "a pod with a higher priority shares a claim on its node"},
	},
	"scheduler does not preempt when the device is free": {
		Options: wrong.With(fakecluster.SchedulerMistakes{NeverPreempts: true}), Spec: "preemption-is-not-in-vain",
		Want: []string{"pod neighbour is not deleted"},
	},
	"scheduler keeps the devices of evicted pods": {
		Options: wrong.Misreads(wrong.KeepReleasedClaims()), Spec: "preemption-makes-room-for-claims",
		Want: []string{"pod waiting is not scheduled"},
	},
	"scheduler preempts in vain": {
		Options: wrong.With(fakecluster.SchedulerMistakes{PreemptsInVain: true}), Spec: "preemption-is-not-in-vain",
		Want: []string{"pod neighbour is deleted", "there would be room for pod first, and still no device"},
	},
}

// withoutPreemption are clusters whose schedulers evict no pods, whether others have claims or
// not.
var withoutPreemption = wrong.Table{
	"scheduler makes no room for pods without claims": {
		Options: fakecluster.Options{WithoutPreemption: true}, Spec: "preemption-makes-room-for-claims", Outcome: suite.NotApplicable,
		Want: []string{"needs a scheduler that evicts pods of a low priority for others that need their room; pod minor was not deleted in 3s"},
	},
	"scheduler makes no room for pods": {
		Options: fakecluster.Options{WithoutPreemption: true}, Spec: "preemption-is-not-in-vain", Outcome: suite.NotApplicable,
		Want: []string{"needs a scheduler that evicts pods of a low priority"},
	},
}
