// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongRestarts are clusters whose scheduler makes mistakes with DeviceTaintRules after a restart.
var wrongRestarts = wrong.Table{
	"scheduler forgets rules in a restart": {
		Options: forgetsAfterRestart("late"), Spec: "taint-rules-outlive-scheduler-restart",
		Want: []string{"pod late should", "because a device taint rule has selected their device since before the restart"},
	},
	"scheduler forgets rules in a restart for pods that wait": {
		Options: forgetsAfterRestart("closed-"), Spec: "taint-rules-outlive-scheduler-restart",
		Want: []string{"pod closed-card-of-node-0-0 should", "because a device taint rule has selected their device since before the restart"},
	},
	"scheduler keeps rules of before a restart": {
		Options: wrong.Misreads(keepTaintsAfterRestart()), Spec: "taint-rules-outlive-scheduler-restart",
		Want: []string{"2 pods should be scheduled, because that many fit"},
	},
}

// forgetsAfterRestart returns the options of a cluster whose scheduler sees no taints after a
// restart, for pods whose names begin with a prefix.
func forgetsAfterRestart(prefix string) fakecluster.Options {
	return wrong.Misreads(func(s *fakecluster.Scene) {
		if s.Restarts > 0 && strings.HasPrefix(s.Pod.Name, prefix) {
			wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) { d.Taints = nil })
		}
	})
}

// keepTaintsAfterRestart makes a scheduler that was restarted see all taints that a device had
// before.
func keepTaintsAfterRestart() func(*fakecluster.Scene) {
	before := map[string][]resourceapi.DeviceTaint{}
	return func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
			id := wrong.DeviceID(slice, d)
			switch {
			case s.Restarts == 0:
				before[id] = d.Taints
			case len(d.Taints) == 0:
				d.Taints = before[id]
			}
		})
	}
}
