// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongRemovals are clusters whose drivers handle a change of their devices incorrectly.
var wrongRemovals = wrong.Table{
	"driver does not unprepare removed devices": {
		Options: wrong.With(fakecluster.DriverMistakes{NeedsDevices: true}), Spec: "removed-device-is-unprepared",
		Want: []string{"while deleting pod and claim claim", "pod claim-0 still exists"},
	},
	"driver never unprepares": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "removed-device-is-unprepared",
		Want: []string{"claim claim should be prepared: false"},
	},
	"restarted driver forgets the claims of removed devices": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartForgetsRemoved: true}), Spec: "removed-device-outlives-driver-restart",
		Want: []string{"should have the same prepared claims as before"},
	},
	"restarted driver does not unprepare removed devices": {
		Options: wrong.With(fakecluster.DriverMistakes{NeedsDevices: true}), Spec: "removed-device-outlives-driver-restart",
		Want: []string{"while deleting pod and claim claim", "pod claim-0 still exists"},
	},
	"driver kills the containers of removed devices": {
		Options: wrong.With(fakecluster.KubeletMistakes{RestartEndsPods: true}), Spec: "removed-device-outlives-driver-restart",
		Want: []string{"the container of pod claim-0 should keep running despite the start of a driver without its device"},
	},
	"driver leaves the slices of removed devices": {
		Options: wrong.With(fakecluster.DriverMistakes{LeavesSlices: true}), Spec: "changed-pool-is-complete",
		Want: []string{"all pools of driver mig.example.com should be complete", "slices of older generations than 2"},
	},
}
