// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongTaints are clusters whose scheduler makes mistakes with the taints in
// ResourceSlices.
var wrongTaints = wrong.Table{
	"scheduler ignores taints that keep new pods away": {
		Options: wrong.MisreadsDevices(without(resourceapi.DeviceTaintEffectNoSchedule)), Spec: "taint-keeps-new-pods-away",
		Want: []string{"pod closed should be unschedulable, because its device has a taint with the effect NoSchedule: claim closed was allocated"},
	},
	"scheduler ignores taints that evict pods": {
		Options: wrong.MisreadsDevices(without(resourceapi.DeviceTaintEffectNoExecute)), Spec: "taint-keeps-new-pods-away",
		Want: []string{"pod broken should be unschedulable, because its device has a taint with the effect NoExecute: claim broken was allocated"},
	},
	"scheduler allocates no device of a pool with a taint": {
		Options: wrong.Misreads(taintAll), Spec: "taint-keeps-new-pods-away",
		Want: []string{"pod whole is not scheduled"},
	},
	"scheduler heeds informational taints": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			for i := range d.Taints {
				d.Taints[i].Effect = resourceapi.DeviceTaintEffectNoSchedule
			}
		}),
		Spec: "taint-none-keeps-no-pods-away", Want: []string{"pod noted is not scheduled"},
	},
	"an informational taint hides the next one": {
		Options: wrong.MisreadsDevices(firstTaint), Spec: "taint-none-keeps-no-pods-away",
		Want: []string{"pod noted-and-closed should be unschedulable, because one of the taints of its device has the effect NoSchedule"},
	},
	"scheduler compares only the first taint": {
		Options: wrong.MisreadsDevices(firstTaint), Spec: "taints-must-all-be-tolerated",
		Want: []string{"pod only-the-first should be unschedulable, because it tolerates the first of two taints only"},
	},
	"scheduler compares only the last taint": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) { d.Taints = d.Taints[max(0, len(d.Taints)-1):] }), Spec: "taints-must-all-be-tolerated",
		Want: []string{"pod only-the-last should be unschedulable, because it tolerates the second of two taints only"},
	},
	"scheduler passes over devices with a taint": {
		Options: wrong.Misreads(hideTainted), Spec: "taint-on-one-of-all-devices",
		Want: []string{"pod intolerant should be unschedulable, because it requests all devices, and one of them has a taint that it does not tolerate"},
	},
	"scheduler finds no devices with taints for all": {
		Options: wrong.MisreadsClaims(tolerateNothing), Spec: "taint-on-one-of-all-devices",
		Want: []string{"pod tolerant is not scheduled"},
	},
	"scheduler ignores taints of devices with shares": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if wrong.CountAllocations(s, "nic") > 0 {
				wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) { d.Taints = nil })
			}
		}),
		Spec: "taint-keeps-next-shares-away", Want: []string{"a pod like closed-nic-of-node-0 should be pending, because the device was tainted before the pod was created"},
	},
	"scheduler ignores tolerations of shares": {
		Options: wrong.MisreadsClaims(tolerateNothing), Spec: "taint-keeps-next-shares-away",
		Want: []string{"pod tolerant is not scheduled"},
	},
	"scheduler does not observe new taints": {
		Options: wrong.Misreads(keepTaints(false)), Spec: "taint-added-keeps-next-pods-away",
		Want: []string{"a pod like closed-disk-of-node-0 should be pending, because it was tainted before the pod was created"},
	},
	"scheduler allocates devices as they were when the pod was created": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "waiting" {
				wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) { d.Taints = nil })
			}
		}),
		Spec: "taint-added-keeps-next-pods-away", Want: []string{"pod waiting should be unschedulable, because its device was tainted before it was released"},
	},
	"scheduler remembers removed taints": {
		Options: wrong.Misreads(keepTaints(true)), Spec: "taint-removed-lets-pods-in",
		Want: []string{"pod card is not scheduled"},
	},
	"scheduler forgets all taints when one is removed": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				if slices.ContainsFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return len(d.Taints) == 0 }) {
					for i := range slice.Spec.Devices {
						slice.Spec.Devices[i].Taints = nil
					}
				}
			}
		}),
		Spec: "taint-removed-lets-pods-in", Want: []string{"pod disk should be unschedulable, because its device still has a taint"},
	},
}

// without returns a change of a device that removes its taints with an effect.
func without(effect resourceapi.DeviceTaintEffect) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		d.Taints = slices.DeleteFunc(d.Taints, func(t resourceapi.DeviceTaint) bool { return t.Effect == effect })
	}
}

func firstTaint(d *resourceapi.Device) { d.Taints = d.Taints[:min(1, len(d.Taints))] }

// taintAll gives all devices of a slice the taints of the first one.
func taintAll(s *fakecluster.Scene) {
	wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, d *resourceapi.Device) { d.Taints = slice.Devices[0].Taints })
}

func hideTainted(s *fakecluster.Scene) {
	for _, slice := range s.Objects.Slices {
		slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return len(d.Taints) > 0 })
	}
}

// keepTaints makes the scheduler see a device with the taints that it had at
// first, or only the removal of taints is missed.
func keepTaints(onlyRemovals bool) func(*fakecluster.Scene) {
	first := map[string][]resourceapi.DeviceTaint{}
	return func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
			id := slice.Pool.Name + "/" + d.Name
			if taints, ok := first[id]; ok && (!onlyRemovals || len(d.Taints) == 0) {
				d.Taints = taints
				return
			}
			first[id] = d.Taints
		})
	}
}
