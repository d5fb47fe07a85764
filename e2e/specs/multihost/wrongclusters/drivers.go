// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongDrivers are clusters whose drivers show or publish wrong parts of multi-host devices.
var wrongDrivers = wrong.Table{
	"driver shows all pods the same part": {
		Options: tpus(fakecluster.ContainerMistakes{ShowsSamePart: true}), Spec: "multi-host-pods-see-their-parts",
		Want: []string{"while comparing the devices that the containers see", "should see the part of its own node", "<string>: node-1\nto equal\n    <string>: node-2"},
	},
	"driver shows pods the number of their node in the topology": {
		Options: tpus(fakecluster.ContainerMistakes{ShowsNumberInTopology: true}), Spec: "multi-host-pairs-see-their-parts",
		Want: []string{"while comparing the devices that the containers see", "should report its part of the device"},
	},
	"scheduler lets one pod use a multi-host device": {
		Options: tpus(fakecluster.SchedulerMistakes{Misreads: func(s *fakecluster.Scene) {
			if len(s.Claims) == 0 {
				s.Nodes = nil
			}
		}}), Spec: "multi-host-pods-see-their-parts",
		Want: []string{"while waiting until pod quad-1 runs", "pod quad-1 is Pending: PodScheduled: 0/4 nodes are available"},
	},
	"driver ignores that a node is withdrawn": {
		Options: tpus(fakecluster.DriverMistakes{KeepsFirstHosts: true}), Spec: "multi-host-follows-nodes",
		Want: []string{"devices that span node node-1, which is withdrawn, should not be available", "device 4x4/tpu-2x4-0-0 is available on node node-1"},
	},
	"driver offers devices on those of their nodes that are left": {
		Options: tpus(fakecluster.DriverMistakes{MispublishesHosts: func(slice *resourceapi.ResourceSliceSpec) {
			forUnavailable(slice, func(device *resourceapi.Device) { selectNodes(device, "node-2") })
		}}), Spec: "multi-host-follows-nodes",
		Want: []string{"which is withdrawn, should not be available", "device 4x4/tpu-2x4-0-0 of the nodes [node-1 node-2] is available on [node-2]"},
	},
	"driver leaves the pool that it published before a node was withdrawn": {
		Options: tpus(fakecluster.DriverMistakes{LeavesFormerPool: true}), Spec: "multi-host-follows-nodes",
		Want: []string{"which is withdrawn, should not be available", "device 4x4-former/tpu-2x4-0-0 is available on node node-1"},
	},
	"driver states more slices when a node is withdrawn": {
		Options: tpus(fakecluster.DriverMistakes{MispublishesHosts: func(slice *resourceapi.ResourceSliceSpec) {
			forUnavailable(slice, func(*resourceapi.Device) { slice.Pool.ResourceSliceCount = 3 })
		}}), Spec: "multi-host-follows-nodes",
		Want: []string{"which is withdrawn, should not be available", "slices of generation 1 of pool 4x4 state 2 and 3 slices"},
	},
	"driver offers devices of a withdrawn node when another one is withdrawn": {
		Options: tpus(fakecluster.DriverMistakes{WithdrawsOne: true}), Spec: "multi-host-follows-nodes",
		Want: []string{"devices that span node node-1, which is withdrawn, should not be available"},
	},
	"driver offers devices of all nodes when one of two is back": {
		Options: tpus(fakecluster.DriverMistakes{ReturnsAll: true}), Spec: "multi-host-follows-nodes",
		Want: []string{"devices that span node node-1, which is not withdrawn any more, should be available as before"},
	},
	"driver ignores that a withdrawn node is back": {
		Options: tpus(fakecluster.DriverMistakes{KeepsWithdrawn: true}), Spec: "multi-host-follows-nodes",
		Want: []string{"devices that span node node-1, which is not withdrawn any more, should be available as before"},
	},
	"driver removes a device in use of which a node is withdrawn": {
		Options: tpus(fakecluster.DriverMistakes{MispublishesHosts: func(slice *resourceapi.ResourceSliceSpec) {
			slice.Devices = slices.DeleteFunc(slice.Devices, func(d resourceapi.Device) bool { return !isAvailable(&d) })
		}}), Spec: "multi-host-withdrawn-devices-stay-charged",
		Want: []string{"the counters of allocated devices should stay consumed", "and its counters are those of device tpu.example.com/4x4/tpu-2x4-0-0"},
	},
	"driver offers a device of two nodes on a third one": {
		Options: tpus(fakecluster.DriverMistakes{MispublishesHosts: func(slice *resourceapi.ResourceSliceSpec) {
			for i := range slice.Devices {
				if slice.Devices[i].Name == "tpu-2x4-0-0" {
					selectNodes(&slice.Devices[i], "node-1", "node-2", "node-3")
				}
			}
		}}), Spec: "multi-host-pairs-see-their-parts",
		Want: []string{"device tpu.example.com/4x4/tpu-2x4-0-0 should be available on the nodes of the pods of claim first only", "node-3"},
	},
}

// isAvailable reports whether a device of a multi-host driver selects nodes. The selector of
// a device with a missing host has two requirements that contradict each other.
func isAvailable(device *resourceapi.Device) bool {
	return len(device.NodeSelector.NodeSelectorTerms[0].MatchExpressions) == 1
}

// forUnavailable calls a function for each device of a slice that selects no nodes.
func forUnavailable(slice *resourceapi.ResourceSliceSpec, do func(*resourceapi.Device)) {
	for i := range slice.Devices {
		if device := &slice.Devices[i]; !isAvailable(device) {
			do(device)
		}
	}
}

// selectNodes makes a device available on nodes, by their names.
func selectNodes(device *resourceapi.Device, nodes ...string) {
	device.NodeSelector.NodeSelectorTerms[0].MatchExpressions = []corev1.NodeSelectorRequirement{
		{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: nodes},
	}
}

// tpus returns the options of a cluster with faults and multi-host devices.
func tpus(faults ...fakecluster.ComponentMistakes) fakecluster.Options {
	return fakecluster.Options{Nodes: 4, TPU: "tpu.example.com", Mistakes: fakecluster.MistakesOf(faults...)}
}
