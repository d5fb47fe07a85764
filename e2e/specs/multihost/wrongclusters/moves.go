// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongMoves are clusters whose scheduler makes mistakes with devices whose node changes.
var wrongMoves = wrong.Table{
	"scheduler keeps devices on their first node": {
		Options: wrong.Misreads(keepNodesOfDevices()), Spec: "multi-host-device-moves",
		Want: []string{"a pod like former should be pending, because its device is on the other node now"},
	},
	"scheduler keeps devices that have moved on both nodes": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			forMoved(s, func(device *resourceapi.Device) { device.NodeName, device.AllNodes = nil, ptr.To(true) })
		}), Spec: "multi-host-device-moves",
		Want: []string{"a pod like former should be pending, because its device is on the other node now"},
	},
	"scheduler offers devices that have moved on no node": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			forMoved(s, func(device *resourceapi.Device) { device.NodeName = ptr.To("none") })
		}), Spec: "multi-host-device-moves",
		Want: []string{"pod tape is not scheduled"},
	},
	"scheduler stores no node selector for devices that have moved": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
			if s.Pod.Name == "tape" {
				losesNodes(s, results)
			}
		}}), Spec: "multi-host-device-moves",
		Want: []string{"the allocation of claim tape should select the node where its device is now"},
	},
	"scheduler forgets the claims of devices that have moved": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			forMoved(s, func(*resourceapi.Device) { forgetsClaims(s) })
		}), Spec: "multi-host-device-moves",
		Want: []string{"pod second should be unschedulable, because claim card has had its device since before the device moved"},
	},
}

// forMoved calls a function for each device with a node name in a slice that was updated.
func forMoved(s *fakecluster.Scene, do func(*resourceapi.Device)) {
	wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
		if device.NodeName != nil && slice.Pool.Generation > 1 {
			do(device)
		}
	})
}

// keepNodesOfDevices makes the scheduler see each device on the node that it had first.
func keepNodesOfDevices() func(*fakecluster.Scene) {
	first := map[string]*string{}
	return func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
			id := wrong.DeviceID(slice, device)
			if first[id] == nil {
				first[id] = device.NodeName
			}
			if device.NodeName != nil {
				device.NodeName = first[id]
			}
		})
	}
}
