// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// classic must detect, and clusters without faults.
package wrongclusters

import "github.com/draconform/draconform/e2e/internal/classiccluster"

type (
	schedulerMistakes = classiccluster.SchedulerMistakes
	managerMistakes   = classiccluster.ManagerMistakes
	driverMistakes    = classiccluster.DriverMistakes
	kubeletMistakes   = classiccluster.KubeletMistakes
)

// All are clusters with faults by what is wrong.
var All = map[string]Cluster{
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
		scheduler(schedulerMistakes{IgnoresClasses: true}), "classic-class-limits-nodes", "the class allows this node only",
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
		scheduler(schedulerMistakes{Wanders: true}), "classic-allocation-decides-node", "the claim is available on this node only",
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
	"driver gives devices twice": {
		drivesWith(driverMistakes{GivesTwice: true}), "classic-driver-gives-devices-once", "should be given to claim",
	},
	"driver keeps devices of deallocated claims": {
		drivesWith(driverMistakes{KeepsDevices: true, KeepsOrphans: true}), "classic-driver-gives-devices-once", "a device is free again",
	},
	"driver shows no devices": {
		kubelet(kubeletMistakes{HidesDevices: true}), "classic-driver-gives-devices-once", "should see the devices of its claim and no others",
	},
	"driver answers about the first claim": {
		drivesWith(driverMistakes{AnswersFirst: true}), "classic-driver-answers-about-all-claims", "there are answers about 1 of 2 claims",
	},
	"driver suits all nodes": {
		drivesWith(driverMistakes{GivesTwice: true}), "classic-driver-answers-about-all-claims", "for claim devices-0 are [], and should be [",
	},
	"driver does not reserve claims": {
		drivesWith(driverMistakes{NeverReserves: true}), "classic-driver-reserves-claim", "the driver has allocated the claim for the pod",
	},
	"driver answers to deleted pods": {
		drivesWith(driverMistakes{TrustsAll: true}), "classic-driver-ignores-deleted-pods", "the pod of the PodSchedulingContext is deleted",
	},
	"driver follows the selected node": {
		drivesWith(driverMistakes{Follows: true}), "classic-driver-keeps-allocation", "only the scheduler may ask for deallocation",
	},
	"driver gives up": {
		drivesWith(driverMistakes{GivesUp: true}), "classic-driver-retries-allocation", "the driver can allocate again",
	},
	"driver reports no failures": {
		drivesWith(driverMistakes{Silent: true}), "classic-driver-retries-allocation", "the driver should report that an allocation failed",
	},
	"driver loses devices when it is killed": {
		drivesWith(driverMistakes{Leaks: true}), "classic-driver-survives-kill", "the driver runs again",
	},
	"driver forgets what was asked for while it was absent": {
		drivesWith(driverMistakes{LooksAhead: true}), "classic-driver-absent-for-a-while", "the driver runs again",
	},
	"driver gives devices twice with two controllers": {
		drivesWith(driverMistakes{Splits: true}), "classic-driver-runs-twice", "should be given to claim",
	},
	"driver has no second controller": {
		drivesWith(driverMistakes{StandsBy: true}), "classic-driver-runs-twice", "the controller of the driver should work again",
	},
	"driver keeps devices of deleted claims": {
		drivesWith(driverMistakes{KeepsOrphans: true}), "classic-driver-frees-force-deleted-claims", "the claims that had the devices are gone",
	},
	"kubelet does not wait for claims": {
		kubelet(kubeletMistakes{Hurries: true}), "classic-kubelet-waits-for-allocation", "was started, although its devices were not prepared",
	},
	"driver does not wait for the selected node": {
		drivesWith(driverMistakes{Hastens: true}), "classic-driver-waits-for-selection", "no node is selected",
	},
	"driver does not say who has allocated": {
		drivesWith(driverMistakes{Anonymous: true}), "classic-driver-waits-for-selection", `the claim is allocated by ""`,
	},
	"driver answers once": {
		drivesWith(driverMistakes{AnswersOnce: true}), "classic-driver-answers-again", "the unsuitable nodes for claim devices-0 are []",
	},
	"driver does not hear that devices are free": {
		drivesWith(driverMistakes{KeepsDevices: true, KeepsOrphans: true}), "classic-driver-answers-again", "], and should be []",
	},
	"driver deallocates deleted claims only": {
		drivesWith(driverMistakes{KeepsUnused: true}), "classic-driver-deallocates-unused-claim", "its deallocation is requested still",
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
	"scheduler asks for immediate claims": {
		classiccluster.Mistakes{Earlier: true, Scheduler: schedulerMistakes{AsksForImmediate: true}}, "classic-immediate-claim-is-awaited", "pod pod should have no PodSchedulingContext",
	},
	"controller manager deallocates immediate claims": {
		classiccluster.Mistakes{Earlier: true, Manager: managerMistakes{FreesImmediate: true}}, "classic-immediate-claim-stays-allocated", "deallocation of the claim is requested",
	},
	"scheduler deallocates immediate claims": {
		classiccluster.Mistakes{Earlier: true, Scheduler: schedulerMistakes{FreesImmediate: true}}, "classic-immediate-allocation-is-kept", "deallocation of the claim is requested",
	},
	"API server has no default mode": {
		classiccluster.Mistakes{Earlier: true, NoDefaultMode: true}, "classic-claims-are-delayed-by-default", "the default allocation mode",
	},
	"API server does not limit data": {
		classiccluster.Mistakes{Earlier: true, Admits: []string{classiccluster.TooMuchData}}, "classic-handle-data-is-limited", "more than 16 KiB of data should be rejected",
	},
	"API server allows to change data": {
		classiccluster.Mistakes{Earlier: true, Admits: []string{classiccluster.Immutable}}, "classic-handle-data-is-kept", "a change of the data should be rejected",
	},
	"API server drops data with the class": {
		classiccluster.Mistakes{Earlier: true, DropsData: true}, "classic-handle-data-is-kept", "for the plugin",
	},
	"API server allows two users of what is not shareable": {
		classiccluster.Mistakes{Earlier: true, Admits: []string{classiccluster.ReservedTwice}}, "classic-unshareable-claim-has-one-user", "a second user of a claim that is not shareable should be rejected",
	},
	"scheduler ignores what is not shareable": {
		classiccluster.Mistakes{Earlier: true, Scheduler: schedulerMistakes{SharesAll: true}}, "classic-unshareable-claim-is-awaited", "only one pod can use the claim at a time",
	},
	"scheduler does not retry pods whose claim is used": {
		classiccluster.Mistakes{Earlier: true, Scheduler: schedulerMistakes{GivesUp: true}}, "classic-unshareable-claim-is-awaited", "the claim is free",
	},
	"controller manager of 1.30 keeps reservations": {
		classiccluster.Mistakes{Earlier: true, Manager: managerMistakes{KeepsUsers: true}}, "classic-unshareable-claim-is-used-in-turn", "the first pod is gone",
	},
	"controller manager of 1.30 does not reserve claims for bound pods": {
		classiccluster.Mistakes{Earlier: true, Manager: managerMistakes{LeavesUnreserved: true}}, "classic-unshareable-claim-is-used-in-turn", "the claim should be reserved for the bound pod",
	},
	"driver waits for pods": {
		earlierDriver(driverMistakes{WaitsForPods: true}), "classic-driver-allocates-immediately", "the claim is to be allocated immediately",
	},
	"driver of 1.30 does not say who has allocated": {
		earlierDriver(driverMistakes{Anonymous: true}), "classic-driver-allocates-immediately", `the claim is allocated by ""`,
	},
	"driver allocates claims of others": {
		earlierDriver(driverMistakes{ServesAll: true}), "classic-driver-allocates-immediately", "its class names another driver",
	},
	"driver gives immediate devices twice": {
		earlierDriver(driverMistakes{GivesTwice: true}), "classic-driver-gives-immediate-devices-once", "other claims have all devices",
	},
	"driver keeps devices of deleted immediate claims": {
		earlierDriver(driverMistakes{KeepsDevices: true, KeepsOrphans: true}), "classic-driver-gives-immediate-devices-once", "a device is free again",
	},
	"driver ignores immediate claims that it finds": {
		earlierDriver(driverMistakes{LooksAhead: true}), "classic-immediate-driver-continues", "its driver runs again",
	},
	"driver forgets claims at a restart": {
		earlierDriver(driverMistakes{Forgets: true}), "classic-immediate-driver-continues", "other claims have all devices",
	},
	"driver frees devices in use": {
		earlierDriver(driverMistakes{FreesUsed: true}), "classic-driver-keeps-devices-in-use", "the pod of the deleted claim uses the only device",
	},
	"driver does not free devices that are not in use any more": {
		earlierDriver(driverMistakes{KeepsDevices: true, KeepsOrphans: true}), "classic-driver-keeps-devices-in-use", "the device is free",
	},
	"driver ignores parameters of classes": {
		earlierDriver(driverMistakes{IgnoresParameters: true}), "classic-driver-heeds-class-parameters", "is not available on node",
	},
	"driver of 1.30 shows no devices": {
		classiccluster.Mistakes{Earlier: true, Kubelet: kubeletMistakes{HidesDevices: true}}, "classic-earlier-pod-sees-device", "it sees the devices []",
	},
	"driver of 1.30 allocates the same device": {
		earlierDriver(driverMistakes{GivesTwice: true}), "classic-earlier-pod-sees-device", "the claims should have different devices",
	},
	"driver of 1.30 does not wait for pods": {
		earlierDriver(driverMistakes{IgnoresModes: true}), "classic-earlier-driver-waits-for-pod", "no node is selected",
	},
	"driver of 1.30 does not wait for the selected node": {
		earlierDriver(driverMistakes{Hastens: true}), "classic-earlier-driver-waits-for-pod", "no node is selected",
	},
	"driver of 1.30 allocates for the first node": {
		earlierDriver(driverMistakes{IgnoresSelection: true}), "classic-earlier-driver-waits-for-pod", "the claim is not available on node",
	},
	"driver of 1.30 answers nothing": {
		earlierDriver(driverMistakes{AnswersNothing: true}), "classic-earlier-driver-waits-for-pod", "there are answers about 0 of 1 claims",
	},
}
