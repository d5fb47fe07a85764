// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import "github.com/draconform/draconform/e2e/internal/classiccluster"

// wrongControlPlanes are clusters with faults of the scheduler, the controller manager and the API
// server.
var wrongControlPlanes = map[string]Cluster{
	"contexts have no owner": {
		scheduler(schedulerMistakes{Orphans: true}), "classic-pod-has-context", "the PodSchedulingContext should be owned by its pod",
	},
	"scheduler asks about nodes that do not fit": {
		scheduler(schedulerMistakes{AsksAboutAll: true}), "classic-potential-nodes-fit-pod", "the pod cannot run on node",
	},
	"scheduler always waits for answers": {
		scheduler(schedulerMistakes{NeverSelects: true}), "classic-one-claim-selects-at-once", "one pending claim may be allocated at once",
	},
	"scheduler does not wait for answers": {
		scheduler(schedulerMistakes{Hurries: true}), "classic-several-claims-wait-for-drivers", "no node should be selected, because no driver has answered",
	},
	"scheduler keeps unsuitable nodes": {
		scheduler(schedulerMistakes{Insists: true}), "classic-unsuitable-node-is-replaced", "the unsuitable node should be replaced",
	},
	"scheduler hears the first driver only": {
		scheduler(schedulerMistakes{HearsFirst: true}), "classic-drivers-agree-on-node", "the only node that suits both drivers should be selected",
	},
	"scheduler keeps contexts": {
		scheduler(schedulerMistakes{KeepsContexts: true}), "classic-context-ends-with-binding", "the PodSchedulingContext should be deleted after the pod is bound",
	},
	"scheduler never asks for deallocation": {
		scheduler(schedulerMistakes{KeepsAllocations: true}), "classic-useless-allocation-is-undone", "keeps the pod from running anywhere",
	},
	"scheduler takes claims from other pods": {
		scheduler(schedulerMistakes{TakesUsed: true}), "classic-used-allocation-is-kept", "pod user uses the claim",
	},
	"scheduler uses claims that are to be deallocated": {
		scheduler(schedulerMistakes{UsesLeaving: true}), "classic-leaving-claim-is-not-used", "",
	},
	"scheduler ignores classes": {
		scheduler(schedulerMistakes{IgnoresClasses: true}), "classic-class-limits-nodes", "the classes of claim claim allow this node only",
	},
	"scheduler does not see changes of classes": {
		scheduler(schedulerMistakes{RemembersClasses: true}), "classic-class-change-lets-pods-in", "the node suits the changed class",
	},
	"scheduler needs no class": {
		scheduler(schedulerMistakes{NeedsNoClass: true}), "classic-class-created-lets-pods-in", "no node should be selected without the class",
	},
	"scheduler waits for one pod at a time": {
		scheduler(schedulerMistakes{Blocks: true}), "classic-absent-driver-blocks-no-others", "it needs no claim",
	},
	"scheduler reserves a claim for one pod": {
		scheduler(schedulerMistakes{OneUser: true}), "classic-claim-is-shared", "the claim can be shared",
	},
	"scheduler ignores where claims are available": {
		scheduler(schedulerMistakes{Wanders: true}), "classic-allocation-decides-node", "all of its claims are available on this node only",
	},
	"controller manager keeps reservations": {
		manager(managerMistakes{KeepsUsers: true}), "classic-last-user-frees-claim", "the first pod is gone",
	},
	"controller manager keeps unused allocations": {
		manager(managerMistakes{KeepsUnused: true}), "classic-claim-is-used-again", "no pod uses the claim any more",
	},
	"controller manager ignores bound pods": {
		manager(managerMistakes{IgnoresBound: true}), "classic-bound-pod-gets-allocation", "the pod is bound to a node",
	},
	"controller manager does not reserve claims for bound pods": {
		manager(managerMistakes{LeavesUnreserved: true}), "classic-bound-pod-gets-allocation", "the claim should be reserved for the bound pod",
	},
	"API server ignores finalizers": {
		classiccluster.Mistakes{IgnoresFinalizers: true}, "classic-deleted-claim-waits-for-driver", "its driver has not removed its finalizer",
	},
	"API server allows to deallocate claims in use": {
		admits(classiccluster.StillReserved), "classic-deallocation-request-is-validated", "deallocation of a claim that is in use should be rejected",
	},
	"API server allows to withdraw requests": {
		admits(classiccluster.NotCleared), "classic-deallocation-request-is-validated", "a request that is withdrawn should be rejected",
	},
	"API server allows new users of leaving claims": {
		admits(classiccluster.NoNewUsers), "classic-leaving-claim-gets-no-users", "a new user of claim leaving should be rejected",
	},
	"API server does not limit users": {
		admits(classiccluster.TooManyUsers), "classic-reservations-are-limited", "33 users should be rejected",
	},
	"API server allows users of pending claims": {
		admits(classiccluster.UnallocatedUser), "classic-reservations-are-limited", "a reservation of a claim that is not allocated should be rejected",
	},
	"API server allows to change allocations": {
		admits(classiccluster.Immutable), "classic-allocation-is-immutable", "another allocation should be rejected",
	},
	"API server does not limit lists of nodes": {
		admits(classiccluster.TooManyNodes), "classic-node-lists-are-validated", "129 potential nodes should be rejected",
	},
	"API server allows nodes twice": {
		admits(classiccluster.Twice), "classic-node-lists-are-validated", "a potential node twice should be rejected",
	},
	"API server allows any controller": {
		admits(classiccluster.DriverName), "classic-controller-name-is-validated", "a controller that is no name of a driver should be rejected",
	},
	"API server drops the controller": {
		classiccluster.Mistakes{DropsController: true}, "classic-controller-name-is-validated", "to equal",
	},
	"garbage collector keeps generated claims": {
		manager(managerMistakes{KeepsGenerated: true}), "classic-generated-claim-follows-pod", "its pod is gone, and its driver runs",
	},
	"scheduler ignores claims that it allocates": {
		scheduler(schedulerMistakes{IgnoresStructured: true}), "classic-mixes-with-structured-claims", "the node with the devices",
	},
	"scheduler forgets waiting pods": {
		scheduler(schedulerMistakes{LosesWaiting: true}), "classic-survives-scheduler-restart", "its claim is allocated",
	},
	"scheduler asks once": {
		scheduler(schedulerMistakes{AsksOnce: true}), "classic-potential-nodes-are-updated", "the scheduler should ask about the new node",
	},
	"API server keeps fields without the gate": {
		classiccluster.Mistakes{WithoutGate: true, KeepsFields: true}, "classic-fields-need-gate", "of a new claim should be dropped",
	},
}
