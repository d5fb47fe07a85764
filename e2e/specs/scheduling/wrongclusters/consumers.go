// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongConsumers are clusters that make mistakes with the consumers of claims.
var wrongConsumers = wrong.Table{
	"claims have up to 32 consumers": {
		Options: wrong.With(fakecluster.SchedulerMistakes{MaxConsumers: 32}), Spec: "claim-has-256-consumers",
		Want: []string{"pod last is not scheduled"},
	},
	"claims have any number of consumers": {
		Options: wrong.With(fakecluster.SchedulerMistakes{MaxConsumers: 1000}), Spec: "claim-has-256-consumers",
		Want: []string{"pod late should stay pending, because its claim has 256 consumers"},
	},
	"consumers of a used-up claim wait": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ExcludesConsumers: true}), Spec: "claim-has-256-consumers",
		Want: []string{"pod user-1 is not scheduled"},
	},
	"scheduler takes the reservation for a former pod as one for its successor": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ComparesConsumerNames: true}), Spec: "reservation-is-for-one-pod",
		Want: []string{"the binding of pod pod should fail", "pod pod was bound to node"},
	},
	"scheduler overwrites reservations that it has not seen": {
		Options: wrong.With(fakecluster.SchedulerMistakes{OverwritesReservations: true}), Spec: "reservations-at-once-are-kept",
		Want: []string{"the reservation of claim shared for pod [pod-", "should keep those for other pods"},
	},
	"scheduler moves no unused claim after a used one": {
		Options: wrong.With(fakecluster.SchedulerMistakes{StopsAtUsed: true}), Spec: "unused-allocation-goes-with-used-one",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler moves one unused claim of a pod": {
		Options: wrong.With(fakecluster.SchedulerMistakes{MovesOneClaim: true}), Spec: "unused-allocations-follow-pod",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler keeps claims that are reserved for the pod": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsOwn: true}), Spec: "own-reservation-does-not-keep-allocation",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler does not write the other claims of a pod if one is reserved already": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "reserved-first" {
				s.Claims = nil
			}
		}),
		Spec: "earlier-reservation-is-completed", Want: []string{"the allocation of claim first should satisfy its requests and constraints"},
	},
	"scheduler writes no claims before one that is reserved": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "reserved-last" {
				s.Claims = nil
			}
		}),
		Spec: "earlier-reservation-is-completed", Want: []string{"the allocation of claim last should satisfy its requests and constraints"},
	},
	"scheduler moves claims that are reserved for the pod and others": {
		Options: wrong.With(fakecluster.SchedulerMistakes{MovesUsed: true}), Spec: "used-allocation-stays-for-others",
		Want: []string{"pod pod should"},
	},
	"scheduler takes generated claims of other pods": {
		Options: wrong.With(fakecluster.SchedulerMistakes{SharesGenerated: true}), Spec: "generated-claim-has-no-substitute",
		Want: []string{"pod taker should not be bound"},
	},
	"scheduler uses any claim with the name of a generated one": {
		Options: wrong.With(fakecluster.SchedulerMistakes{AcceptsSubstitutes: true}), Spec: "generated-claim-has-no-substitute",
		Want: []string{"pod pod should not be bound, because the claim with the name of its own was not created for it"},
	},
	"scheduler waits for claims that are not needed": {
		Options: wrong.With(fakecluster.SchedulerMistakes{NeedsAllGenerated: true}), Spec: "pod-may-need-no-generated-claim",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler ignores claims after one that is not needed": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "named-last" {
				s.Claims = nil
			}
		}),
		Spec: "pod-may-need-no-generated-claim", Want: []string{"the allocation of claim named-last should satisfy its requests and constraints"},
	},
	"scheduler ignores claims before one that is not needed": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "named-first" {
				s.Claims = nil
			}
		}),
		Spec: "pod-may-need-no-generated-claim", Want: []string{"the allocation of claim named-first should satisfy its requests and constraints"},
	},
	"scheduler keeps unused claims on their node": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsUnusable: true}), Spec: "unused-allocation-follows-pod",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler keeps the nodes of claims that have moved": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsNodesOfClaims: true}), Spec: "unused-allocation-follows-pod",
		Want: []string{"pod second is not scheduled"},
	},
	"scheduler moves claims again": {
		Options: wrong.With(fakecluster.SchedulerMistakes{MovesUsed: true}), Spec: "unused-allocation-follows-pod",
		Want: []string{"pod elsewhere should"},
	},
	"scheduler keeps unused claims on cordoned nodes": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsUnusable: true}), Spec: "unused-allocation-leaves-cordoned-node",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler keeps unused claims on full nodes": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsUnusable: true}), Spec: "unused-allocation-leaves-full-node",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler moves used claims": {
		Options: wrong.With(fakecluster.SchedulerMistakes{MovesUsed: true}), Spec: "used-allocation-stays",
		Want: []string{"pod late should"},
	},
	"claims stay reserved for completed pods": {
		Options: wrong.With(fakecluster.ControllerMistakes{HoldsForCompleted: true}), Spec: "completed-pods-free-devices",
		Want: []string{"pod next-card is not scheduled"},
	},
	"claims are released when their pods are being deleted": {
		Options: wrong.With(fakecluster.ControllerMistakes{ReleasesEnding: true}), Spec: "ending-pod-keeps-devices",
		Want: []string{"the pod with its device is being deleted and has not ended"},
	},
	"claims after the first one stay reserved for completed pods": {
		Options: wrong.With(fakecluster.ControllerMistakes{ReleasesFirstClaim: true}), Spec: "completed-pods-free-devices",
		Want: []string{"pod next-tape is not scheduled"},
	},
	"claims after one that is not needed stay reserved for completed pods": {
		Options: wrong.With(fakecluster.ControllerMistakes{StopsAtUnneeded: true}), Spec: "completed-pods-free-devices",
		Want: []string{"pod next-disk is not scheduled"},
	},
	"claims are deallocated when one of their pods has completed": {
		Options: wrong.With(fakecluster.ControllerMistakes{ReleasesEarly: true}), Spec: "completed-pods-free-devices",
		Want: []string{"claim shared has been deallocated"},
	},
	"one claim is reserved for pods that are bound without the scheduler": {
		Options: wrong.With(fakecluster.ControllerMistakes{ReservesFirstClaim: true}), Spec: "bound-pod-reserves-claim",
		Want: []string{"claim second should be reserved for 2 consumers, because it is allocated, and two pods on a node use it"},
	},
	"claims stay reserved for namesakes of deleted pods": {
		Options: wrong.With(fakecluster.ControllerMistakes{TakesNamesakes: true}), Spec: "reservation-ends-with-its-pod",
		Want: []string{"claim card is still allocated"},
	},
	"consumers of other kinds are removed": {
		Options: wrong.With(fakecluster.ControllerMistakes{RemovesUnknownConsumers: true}), Spec: "reservation-of-others-stays",
		Want: []string{"claim user should stay allocated and reserved for job job"},
	},
	"claims with consumers of other kinds stay reserved for deleted pods": {
		Options: wrong.With(fakecluster.ControllerMistakes{StopsAtUnknownConsumers: true}), Spec: "reservation-of-pods-ends",
		Want: []string{"claim gone should be reserved for 2 consumers, because pod gone was deleted"},
	},
	"deleted claims stay allocated": {
		Options: wrong.With(fakecluster.ControllerMistakes{KeepsDeleted: true}), Spec: "deleted-claim-ends-with-its-pod",
		Want: []string{"claim holder should be removed, because its pod is deleted"},
	},
	"scheduler reads the first term of allocations": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ReadsFirstTermOnly: true}), Spec: "allocation-selects-nodes-by-each-term",
		Want: []string{"pod by-label is not scheduled"},
	},
	"deleted claims lose the finalizers of others": {
		Options: wrong.With(fakecluster.ControllerMistakes{RemovesAllFinalizers: true}), Spec: "deleted-claim-ends-with-its-pod",
		Want: []string{"claim kept does not exist"},
	},
	"deleted claims that nothing has used stay": {
		Options: wrong.With(fakecluster.ControllerMistakes{KeepsUnusedDeleted: true}), Spec: "deleted-unused-claim-ends",
		Want: []string{"claim unused should be removed, because nothing uses it"},
	},
	"claims are not reserved for pods that are bound without the scheduler": {
		Options: wrong.With(fakecluster.ControllerMistakes{ForgetsBound: true}), Spec: "bound-pod-reserves-claim",
		Want: []string{"claim first should be reserved for 2 consumers, because it is allocated, and two pods on a node use it"},
	},
	"claims are reserved for bound pods only if they are allocated at first": {
		Options: wrong.With(fakecluster.ControllerMistakes{ReservesForNewPods: true}), Spec: "bound-pod-reserves-claim",
		Want: []string{"claim later should be reserved for 2 consumers, because it was allocated for one of the two pods that use it, after the other one was bound"},
	},
	"scheduler ignores scheduling gates": {
		Options: wrong.With(fakecluster.SchedulerMistakes{IgnoresGates: true}), Spec: "gated-pod-holds-nothing",
		Want: []string{"claim gated should not be allocated, because its pod has a scheduling gate"},
	},
}
