// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongPartitions are clusters whose driver of partitions handles the others of a parent, or a
// restart, incorrectly.
var wrongPartitions = wrong.Table{
	"driver unprepares all partitions": {
		Options: wrong.With(fakecluster.DriverMistakes{UnpreparesAll: true}), Spec: "unprepare-leaves-other-partitions",
		Want: []string{"claim pod should be prepared: true"},
	},
	"driver does not unprepare partitions": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "unprepare-leaves-other-partitions",
		Want: []string{"claim goes should be prepared: false"},
	},
	"containers that are restarted lack their partition": {
		Options: wrong.With(fakecluster.ContainerMistakes{RestartHides: true}), Spec: "unprepare-leaves-other-partitions",
		Want: []string{"container workload of pod pod-0 should see the devices of the claims that it uses", "the missing elements were"},
	},
	"restarted driver forgets partitions": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartForgets: true}), Spec: "partition-outlives-driver-restart",
		Want: []string{"driver mig.example.com on node node-1 should have the same prepared claims as before"},
	},
	"restarted driver removes partitions": {
		Options: wrong.With(fakecluster.ContainerMistakes{RestartHides: true}), Spec: "partition-outlives-driver-restart",
		Want: []string{"container workload of pod pod-0 should see the devices of the claims that it uses", "the missing elements were"},
	},
	"restarted driver does not unprepare partitions": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "partition-outlives-driver-restart",
		Want: []string{"claim pod should be prepared: false"},
	},
}
