// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite"
)

// wrongRestarts are clusters in which the driver or the kubelet handles
// restarts or missing drivers incorrectly.
var wrongRestarts = wrong.Table{
	"driver kills containers when it is killed": {
		Options: wrong.With(fakecluster.KubeletMistakes{RestartEndsPods: true}), Spec: "exclusive-survives-driver-restart",
		Want: []string{"the container of pod before-0 should keep running despite the driver's restart", "-after-driver"},
	},
	"driver loses its prepared claims": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartForgets: true}), Spec: "exclusive-survives-driver-restart",
		Want: []string{"driver mig.example.com on node node-1 should have the same prepared claims as before", "draconform-test-1/before"},
	},
	"driver is not restarted": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverReturns: true}), Spec: "exclusive-survives-driver-restart",
		Want: []string{"driver mig.example.com should be registered again on node node-1", "the driver was not restarted"},
	},
	"updated driver does not read the prepared claims": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartForgets: true}), Spec: "exclusive-survives-driver-update",
		Want: []string{"while updating driver mig.example.com", "should have the same prepared claims as before"},
	},
	"kubelet kills containers when it is killed": {
		Options: wrong.With(fakecluster.KubeletMistakes{RestartEndsPods: true}), Spec: "exclusive-survives-kubelet-restart",
		Want: []string{"the container of pod before-0 should keep running despite the kubelet's restart", "-after-kubelet"},
	},
	"kubelet is not restarted": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverReturns: true}), Spec: "exclusive-survives-kubelet-restart",
		Want: []string{"while killing the kubelet of node node-1", "the kubelet does not answer"},
	},
	"restarted kubelet forgets prepared claims": {
		Options: wrong.With(fakecluster.KubeletMistakes{KubeletForgets: true}), Spec: "claim-outlives-kubelet-restart",
		Want: []string{"claim before should be prepared: false"},
	},
	"restarted kubelet forgets the claims of pods that are gone": {
		Options: wrong.With(fakecluster.KubeletMistakes{KubeletForgetsGone: true}), Spec: "pods-gone-without-kubelet-are-unprepared",
		Want: []string{"claim gone should be prepared: false"},
	},
	"restarted kubelet forgets claims whose preparation has not succeeded": {
		Options: wrong.With(fakecluster.KubeletMistakes{KubeletStoresPrepared: true}), Spec: "lost-prepare-is-unprepared-by-next-kubelet",
		Want: []string{"claim lost should be prepared: false"},
	},
	"restarted kubelet forgets claims that a driver has failed to unprepare": {
		Options: wrong.With(fakecluster.KubeletMistakes{KubeletForgetsUnpreparing: true}), Spec: "failed-unprepare-outlives-kubelet-restart",
		Want: []string{"claim claim should be prepared: false"},
	},
	"restarted kubelet unprepares claims again only for changed pods": {
		Options: wrong.With(fakecluster.KubeletMistakes{RetriesChangedPods: true}), Spec: "failed-unprepare-outlives-kubelet-restart",
		Want: []string{"while waiting until pods [claim-0] are removed", "pod claim-0 still exists"},
	},
	"kubelet removes the slices of a driver that is back": {
		Options: wrong.With(fakecluster.KubeletMistakes{RemovesReturnedSlices: true}), Spec: "slices-stay-after-quick-restart",
		Want: []string{"the slices of driver mig.example.com for node node-1 should stay, because the driver was away for less than", "does not exist any more"},
	},
	"restarted kubelet forgets all but the first claim of a pod": {
		Options: wrong.With(fakecluster.KubeletMistakes{KubeletForgetsLater: true}), Spec: "shared-claim-outlives-kubelet-restart",
		Want: []string{"claim own should be prepared: false"},
	},
	"restarted kubelet forgets all but one pod of a claim": {
		Options: wrong.With(fakecluster.KubeletMistakes{KubeletForgetsPods: true}), Spec: "shared-claim-outlives-kubelet-restart",
		Want: []string{"claim shared should be prepared: true"},
	},
	"restarted kubelet starts containers without devices": {
		Options: wrong.With(fakecluster.KubeletMistakes{KubeletLosesDevices: true}), Spec: "container-restarts-after-kubelet-restart",
		Want: []string{"container workload of pod pod-0 should see the devices of the claims that it uses", "the missing elements were"},
	},
	"driver loses its prepared claims when its node is restarted": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartForgets: true}), Spec: "exclusive-survives-node-restart",
		Want: []string{"while restarting node node-1", "should have the same prepared claims as before"},
	},
	"driver is not registered after its node's restart": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverReturns: true}), Spec: "exclusive-survives-node-restart",
		Want: []string{"driver mig.example.com should be registered again on node node-1", "the driver is not registered with the kubelet"},
	},
	"kubelet starts a pod without its driver": {
		Options: wrong.With(fakecluster.KubeletMistakes{StartsWithoutDriver: true}), Spec: "absent-driver-is-waited-for",
		Want: []string{"while waiting until an event reports why pod late-0 is not started", "pod late-0 is Running and was started, although its devices were not prepared"},
	},
	"kubelet does not retry when a driver is registered": {
		Options: wrong.With(fakecluster.KubeletMistakes{NeverRetries: true}), Spec: "absent-driver-is-waited-for",
		Want: []string{"while waiting until pod late-0 runs", "driver mig.example.com is not registered"},
	},
	"kubelet lets a pod be removed whose driver is missing": {
		Options: wrong.With(fakecluster.KubeletMistakes{LetsGo: true}), Spec: "absent-driver-keeps-devices-held",
		Want: []string{"pod before-0 and the allocation of claim before should stay, because its driver does not run and cannot unprepare them", "not found"},
	},
	"restarted driver does not unprepare": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "absent-driver-keeps-devices-held",
		Want: []string{"claim before should be prepared: false"},
	},
	"kubelet does not call a restarted driver": {
		Options: wrong.With(fakecluster.KubeletMistakes{NeverAsks: true}), Spec: "absent-driver-keeps-devices-held",
		Want: []string{"pod before-0 and the allocation of claim before should stay"},
	},
	"restarted driver has lost its prepared claims": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartForgets: true}), Spec: "absent-driver-offers-nothing",
		Want: []string{"claim before should be prepared: true"},
	},
	"driver removes CDI files when it is stopped": {
		Options: fakecluster.Options{Mistakes: fakecluster.MistakesOf(fakecluster.DriverMistakes{EndRemovesFiles: true}), BacksOff: true}, Spec: "absent-driver-offers-nothing",
		Want: []string{"while waiting until the container of pod pod-0 is restarted", "the kubelet should restart the container"},
	},
	"kubelet does not delete the slices of a missing driver": {
		Options: wrong.With(fakecluster.KubeletMistakes{KeepsSlices: true}), Spec: "absent-driver-offers-nothing",
		Want: []string{"the slices of driver mig.example.com, which does not run on node node-1, should be deleted", "still exists"},
	},
	"kubelet deletes the slices of all drivers of its node": {
		Options: wrong.With(fakecluster.KubeletMistakes{RemovesOtherSlices: func(slice *resourceapi.ResourceSlice, node string) bool {
			return ptr.Deref(slice.Spec.NodeName, "") == node
		}}),
		Spec: "absent-driver-leaves-other-slices", Want: []string{"should stay, because another driver has left node node-1", "has no slices any more"},
	},
	"kubelet deletes the slices of other nodes": {
		Options: wrong.With(fakecluster.KubeletMistakes{RemovesOtherSlices: func(slice *resourceapi.ResourceSlice, node string) bool {
			return slice.Spec.NodeName != nil && *slice.Spec.NodeName != node
		}}),
		Spec: "absent-driver-leaves-other-slices", Want: []string{"has no slices any more"},
	},
	"kubelet deletes the slices of all nodes": {
		Options: wrong.With(fakecluster.KubeletMistakes{RemovesOtherSlices: func(slice *resourceapi.ResourceSlice, _ string) bool { return slice.Spec.NodeName == nil }}),
		Spec:    "absent-driver-leaves-other-slices", Want: []string{"has no slices any more"},
	},
	"restarted driver publishes nothing": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverRepublishes: true}), Spec: "absent-driver-offers-nothing",
		Want: []string{"while waiting until pod late-0 runs", "0/1 nodes are available"},
	},
	"kubelet kills older pods when it starts a pod": {
		Options: wrong.With(fakecluster.KubeletMistakes{RestartEndsPodsLater: true}), Spec: "exclusive-survives-kubelet-restart",
		Want: []string{"the container of pod before-0 should keep running despite the start of the next kubelet", "-after-kubelet"},
	},
	"driver prepares other devices for the next kubelet": {
		Options: wrong.With(fakecluster.DriverMistakes{PreparesOthersAgain: true}), Spec: "exclusive-survives-kubelet-restart",
		Want: []string{"while comparing the responses of the driver for claim before", "the driver should return the same CDI devices for claim before each time", "-again"},
	},
	"driver fails to prepare a prepared claim for the next kubelet": {
		Options: wrong.With(fakecluster.DriverMistakes{PreparesOnce: true}), Spec: "exclusive-survives-kubelet-restart",
		Want: []string{"while waiting until pod joined runs", "it is prepared already"},
	},
	"claim gets another device when its node is restarted": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartMoves: true}), Spec: "exclusive-survives-node-restart",
		Want: []string{"claim before should keep its devices despite the node's restart", "gpu-0-mig-1g-5gb-6"},
	},
	"driver kills containers of a multi-host device": {
		Options: fakecluster.Options{Nodes: 4, TPU: "tpu.example.com", Mistakes: fakecluster.MistakesOf(fakecluster.KubeletMistakes{RestartEndsPods: true})}, Spec: "multi-host-survives-driver-restart",
		Want: []string{"the container of pod before-0 should keep running despite the driver's restart"},
	},
	// It could allocate devices of other nodes to the second pod before it tries the first
	// one again.
	"scheduler that is right observes late that devices of the node are free": {
		Options: fakecluster.Options{Nodes: 4, TPU: "tpu.example.com", Late: fakecluster.Lateness{Releases: 2 * time.Second}},
		Spec:    "multi-host-survives-node-restart", Outcome: suite.Passed,
	},
}
