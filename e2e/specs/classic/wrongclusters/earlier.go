// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import "github.com/draconform/draconform/e2e/internal/classiccluster"

// wrongEarlier are clusters of Kubernetes 1.30 with faults.
var wrongEarlier = map[string]Cluster{
	"scheduler asks for immediate claims": {
		classiccluster.Mistakes{Earlier: true, Scheduler: schedulerMistakes{AsksForImmediate: true}}, "classic-immediate-claim-is-awaited", "pod pod should have no PodSchedulingContext",
	},
	"scheduler does not wait for immediate claims": {
		classiccluster.Mistakes{Earlier: true, Scheduler: schedulerMistakes{SkipsImmediate: true}}, "classic-immediate-claim-comes-first", "pod pod should have no PodSchedulingContext",
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
		classiccluster.Mistakes{Earlier: true, Admits: []string{classiccluster.ImmutableDevices}}, "classic-handle-data-is-kept", "a change of the data should be rejected",
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
	"driver ignores parameters of claims": {
		earlierDriver(driverMistakes{IgnoresClaimParameters: true}), "classic-driver-heeds-claim-parameters", "its parameters do not exist",
	},
	"API server allows references without a kind": {
		classiccluster.Mistakes{Earlier: true, Admits: []string{classiccluster.NoKind}}, "classic-earlier-objects-are-validated", "a class with parameters without kind should be rejected",
	},
	"API server allows references without a name": {
		classiccluster.Mistakes{Earlier: true, Admits: []string{classiccluster.NoName}}, "classic-earlier-objects-are-validated", "a class with parameters without name should be rejected",
	},
	"API server allows any driver of a class": {
		classiccluster.Mistakes{Earlier: true, Admits: []string{classiccluster.ClassDriver}}, "classic-earlier-objects-are-validated", "a class whose driver is no name of a driver should be rejected",
	},
	"API server allows any allocation mode": {
		classiccluster.Mistakes{Earlier: true, Admits: []string{classiccluster.UnknownMode}}, "classic-earlier-objects-are-validated", "an unknown allocation mode should be rejected",
	},
	"API server allows to change the allocation mode": {
		classiccluster.Mistakes{Earlier: true, Admits: []string{classiccluster.FixedSpec}}, "classic-earlier-objects-are-validated", "another allocation mode should be rejected",
	},
	"API server allows allocations by nobody": {
		classiccluster.Mistakes{Earlier: true, Admits: []string{classiccluster.NoAllocator}}, "classic-earlier-objects-are-validated", "an allocation by nobody should be rejected",
	},
	"API server does not limit the plugins of an allocation": {
		classiccluster.Mistakes{Earlier: true, Admits: []string{classiccluster.TooManyHandle}}, "classic-earlier-objects-are-validated", "data for 33 plugins should be rejected",
	},
}
