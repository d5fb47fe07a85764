// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import "github.com/draconform/draconform/e2e/internal/classiccluster"

// wrongSchedulers are clusters with faults of the scheduler that show with several claims,
// pods, nodes or attempts.
var wrongSchedulers = map[string]Cluster{
	"scheduler counts allocated claims": {
		scheduler(schedulerMistakes{CountsAll: true}), "classic-one-claim-selects-at-once", "only one of its claims is pending",
	},
	"scheduler keeps the selection of a pod whose claim is deallocated": {
		scheduler(schedulerMistakes{KeepsSelection: true}), "classic-useless-allocation-is-undone", "no node should be selected, because a driver would allocate",
	},
	"scheduler undoes all allocations": {
		scheduler(schedulerMistakes{FreesAll: true}), "classic-one-allocation-is-undone", "deallocation of the other claim is requested",
	},
	"scheduler heeds the first class": {
		scheduler(schedulerMistakes{FirstClass: true}), "classic-class-limits-nodes", "the classes of claim of-two-classes allow this node only",
	},
	"scheduler heeds the first term of nodes": {
		scheduler(schedulerMistakes{FirstTerm: true}), "classic-allocation-decides-node", "pod in-terms is not bound",
	},
	"scheduler heeds the first allocation": {
		scheduler(schedulerMistakes{FirstAllocation: true}), "classic-allocation-decides-node", "all of its claims are available on this node only",
	},
	"scheduler ignores names of nodes": {
		scheduler(schedulerMistakes{IgnoresFields: true}), "classic-allocation-decides-node", "pod by-name: all of its claims",
	},
	"scheduler heeds classes of allocated claims": {
		scheduler(schedulerMistakes{HeedsOldClasses: true}), "classic-allocated-claim-needs-no-class", "a node that the class excludes now",
	},
	"scheduler heeds answers about allocated claims": {
		scheduler(schedulerMistakes{HeedsOldAnswers: true}), "classic-allocated-claim-needs-no-answers", "the pod can use it on its node",
	},
	"scheduler heeds the first unsuitable node": {
		scheduler(schedulerMistakes{FirstExcluded: true}), "classic-unsuitable-node-is-replaced", "the second unsuitable node should be replaced, too",
	},
	"scheduler wakes one of the pods that wait for a claim": {
		scheduler(schedulerMistakes{WakesOne: true}), "classic-pods-wait-for-one-claim", "the claim is allocated, and can be shared",
	},
	"scheduler uses answers about another pod": {
		scheduler(schedulerMistakes{RemembersAnswers: true}), "classic-context-ends-with-pod", "drivers have not answered about the second pod",
	},
	"scheduler binds pods without a reservation": {
		scheduler(schedulerMistakes{BindsUnreserved: true}), "classic-claim-has-limited-users", "32 other pods use the claim",
	},
	"scheduler reserves once": {
		scheduler(schedulerMistakes{GivesUp: true}), "classic-claim-has-limited-users", "31 other pods use the claim",
	},
	"scheduler asks for deleted claims": {
		scheduler(schedulerMistakes{AsksForDeleted: true}), "classic-leaving-claim-is-not-used", "pod late should have no PodSchedulingContext",
	},
	"scheduler lists all nodes": {
		scheduler(schedulerMistakes{ListsAll: true}), "classic-potential-nodes-are-limited", "the scheduler should ask about some of 300 nodes",
	},
	"scheduler asks about the same nodes of a large cluster": {
		scheduler(schedulerMistakes{AsksOnce: true}), "classic-potential-nodes-are-limited", "other nodes may be suitable",
	},
	"scheduler keeps unsuitable nodes of a large cluster": {
		scheduler(schedulerMistakes{Insists: true}), "classic-potential-nodes-are-limited", "other nodes may be suitable",
	},
	"scheduler never considers unsuitable nodes again": {
		scheduler(schedulerMistakes{KeepsExcluded: true}), "classic-unsuitable-node-is-replaced", "the first node is suitable again",
	},
	"scheduler binds pods with one allocated claim": {
		scheduler(schedulerMistakes{BindsEarly: true}), "classic-drivers-agree-on-node", "one of its claims is not allocated",
	},
	"scheduler heeds the class of the first pending claim": {
		scheduler(schedulerMistakes{FirstPending: true}), "classic-class-limits-nodes", "the class of the second claim allows this node only",
	},
	"scheduler uses a second claim that is to be deallocated": {
		scheduler(schedulerMistakes{FirstLeaving: true}), "classic-leaving-claim-is-not-used", "one of its claims is to be deallocated",
	},
	"controller manager keeps allocations of the scheduler": {
		classiccluster.Mistakes{Upgrade: classiccluster.UpgradeMistakes{KeepsUnused: true}}, "classic-mixes-with-structured-claims", "no driver has allocated it",
	},
	"scheduler ignores generated claims": {
		scheduler(schedulerMistakes{SkipsGenerated: true}), "classic-generated-claim-is-awaited", "no node should be selected, because the driver has not answered",
	},
}

// wrongManagers are such clusters with faults of the controller manager.
var wrongManagers = map[string]Cluster{
	"controller manager creates contexts without an owner": {
		manager(managerMistakes{Orphans: true}), "classic-bound-pod-gets-allocation", "its pod does not own",
	},
	"controller manager takes pods for others of the same name": {
		manager(managerMistakes{ComparesNames: true}), "classic-ended-pods-free-claims", "the pod is another one of the same name",
	},
	"garbage collector keeps contexts": {
		manager(managerMistakes{KeepsContexts: true}), "classic-context-ends-with-pod", "because its pod is deleted",
	},
	"controller manager ignores completed pods": {
		manager(managerMistakes{IgnoresCompleted: true}), "classic-ended-pods-free-claims", "the containers of the pod have ended",
	},
	"controller manager ignores pods that were not bound": {
		manager(managerMistakes{IgnoresUnbound: true}), "classic-ended-pods-free-claims", "the pod was deleted before it was bound",
	},
	"controller manager serves the first claim": {
		manager(managerMistakes{FirstClaim: true}), "classic-bound-pod-gets-allocation", "the second claim should be reserved for the bound pod",
	},
	"controller manager keeps the selected node": {
		manager(managerMistakes{KeepsSelection: true}), "classic-bound-pod-changes-selection", "the pod is bound to another node",
	},
	"controller manager frees claims of pods that terminate": {
		manager(managerMistakes{FreesTerminating: true}), "classic-ended-pods-free-claims", "the containers of the deleted pod may run still",
	},
	"controller manager generates the first claim": {
		manager(managerMistakes{GeneratesOne: true}), "classic-generated-claim-is-awaited", "a claim should be generated for each entry",
	},
	"garbage collector keeps claims of a pod": {
		manager(managerMistakes{KeepsGenerated: true}), "classic-generated-claim-is-awaited", "and its driver has deallocated it",
	},
	"controller manager keeps deleted pods of nodes that are out of service": {
		manager(managerMistakes{KeepsOutOfService: true}), "classic-node-shutdown-frees-claim", "the node of the deleted pod is out of service",
	},
}
