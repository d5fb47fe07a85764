// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

// wrongDrivers are clusters with faults of drivers and of kubelets.
var wrongDrivers = map[string]Cluster{
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
		drivesWith(driverMistakes{KeepsDevices: true, KeepsOrphans: true}), "classic-driver-answers-again", "], and should be [",
	},
	"driver deallocates deleted claims only": {
		drivesWith(driverMistakes{KeepsUnused: true}), "classic-driver-deallocates-unused-claim", "its deallocation is requested still",
	},
	"driver replaces answers of others": {
		drivesWith(driverMistakes{DropsOthers: true}), "classic-driver-leaves-others-alone", "keep the answer of another driver",
	},
	"driver serves claims of others": {
		drivesWith(driverMistakes{ServesAll: true}), "classic-driver-leaves-others-alone", "keep the answer of another driver",
	},
	"driver expects devices for allocated claims": {
		drivesWith(driverMistakes{CountsAllocated: true}), "classic-driver-answers-about-all-claims", "], and should be []",
	},
	"driver excludes no more nodes": {
		drivesWith(driverMistakes{OnlyFrees: true}), "classic-driver-answers-again", "], and should be [",
	},
	"driver offers devices on all nodes": {
		drivesWith(driverMistakes{IsAnywhere: true}), "classic-driver-waits-for-selection", "is available on node",
	},
	"driver keeps its finalizer on claims that it could not allocate": {
		drivesWith(driverMistakes{KeepsFailed: true}), "classic-driver-lets-failed-claims-go", "the claim was never allocated",
	},
	"driver has no finalizer": {
		drivesWith(driverMistakes{NoFinalizer: true}), "classic-driver-waits-for-last-user", "the claim has no finalizer of its driver",
	},
	"driver removes finalizers of others": {
		drivesWith(driverMistakes{RemovesFinalizers: true}), "classic-driver-waits-for-last-user", "no pod uses it any more",
	},
	"driver deallocates with the first user": {
		drivesWith(driverMistakes{FreesShared: true}), "classic-driver-waits-for-last-user", "the second pod uses it",
	},
	"driver serves pods that are being deleted": {
		drivesWith(driverMistakes{ServesLeaving: true}), "classic-driver-ignores-deleted-pods", "the pod is being deleted",
	},
	"driver deallocates all claims": {
		drivesWith(driverMistakes{FreesAll: true}), "classic-driver-frees-requested-claim", "nobody has asked for its deallocation",
	},
	"driver gives a claim one device": {
		drivesWith(driverMistakes{GivesOne: true}), "classic-driver-gives-all-requested-devices", "for claim devices-0 are [], and should be [",
	},
	"driver gives devices of the network to each node": {
		drivesWith(driverMistakes{SplitsNetwork: true}), "classic-driver-shares-network-devices", "and should be [",
	},
	"driver confines devices of the network to a node": {
		drivesWith(driverMistakes{ConfinesNetwork: true}), "classic-driver-shares-network-devices", "the devices can be used on all connected nodes",
	},
	"driver keeps devices of the network": {
		drivesWith(driverMistakes{KeepsDevices: true, KeepsOrphans: true}), "classic-driver-shares-network-devices", "and should be [",
	},
	"driver ignores the limit of the cluster": {
		drivesWith(driverMistakes{IgnoresLimit: true}), "classic-driver-heeds-limit", "], and should be [",
	},
	"driver has no second controller without containers": {
		drivesWith(driverMistakes{StandsBy: true}), "classic-second-controller-takes-over", "there is a device for the claim",
	},
	"second controller does not know which devices are in use": {
		drivesWith(driverMistakes{Splits: true}), "classic-second-controller-takes-over", "is given to claims",
	},
	"kubelet ignores reservations": {
		kubelet(kubeletMistakes{IgnoresReservations: true}), "classic-kubelet-waits-for-reservation", "was started, although its devices were not prepared",
	},
	"driver keeps deleted claims": {
		drivesWith(driverMistakes{KeepsDeleted: true}), "classic-driver-waits-for-last-user", "no pod uses it any more",
	},
	"driver frees the devices of others": {
		drivesWith(driverMistakes{FreesDevices: true}), "classic-driver-frees-requested-claim", "for claim devices-0 are [], and should be [",
	},
	"driver keeps devices that it was asked to free": {
		drivesWith(driverMistakes{KeepsDevices: true, KeepsOrphans: true}), "classic-driver-frees-requested-claim", "there is a device for the claim",
	},
	"driver follows the node of another pod": {
		drivesWith(driverMistakes{FollowsOthers: true}), "classic-driver-keeps-allocation", "it is allocated for the first pod",
	},
	"driver ignores the configuration of classes": {
		drivesWith(driverMistakes{IgnoresParameters: true}), "classic-driver-heeds-parameters", "for claim devices-0 are [], and should be [",
	},
	"driver ignores the configuration of claims": {
		drivesWith(driverMistakes{IgnoresClaimParameters: true}), "classic-driver-heeds-parameters", "for claim devices-0 are [], and should be [",
	},
	"driver shows devices of the first claim": {
		kubelet(kubeletMistakes{PreparesFirst: true}), "classic-pod-uses-several-claims", "should see the devices of its claim and no others",
	},
	"driver loses devices of several claims when it is killed": {
		drivesWith(driverMistakes{Leaks: true}), "classic-pod-uses-several-claims", "the driver runs again",
	},
	"driver forgets what it deallocates when it is killed": {
		drivesWith(driverMistakes{LeavesHalf: true}), "classic-driver-survives-kill-while-it-frees", "the driver runs again",
	},
	"driver gives a device to all claims of a node": {
		drivesWith(driverMistakes{GivesTwice: true}), "classic-driver-frees-requested-claim", "is given to claims",
	},
	"driver confuses claims of the same name": {
		drivesWith(driverMistakes{ComparesNames: true}), "classic-driver-tells-namespaces-apart", "all devices of the selected node are in use",
	},
	"kubelet unprepares a claim with its first pod": {
		kubelet(kubeletMistakes{UnpreparesShared: true}), "classic-shared-claim-stays-prepared", "the kubelet should restart the container",
	},
}
