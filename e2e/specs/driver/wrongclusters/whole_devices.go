// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongWholeDevices are clusters without partitions in which the driver or the
// kubelet violates the contract between them.
var wrongWholeDevices = wrong.Table{
	"driver does not unprepare whole devices": {
		Options: wholeGPUs(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "exclusive-is-prepared-and-released",
		Want: []string{"claim before should be prepared: false"},
	},
	"driver unprepares other whole devices, too": {
		Options: wholeGPUs(fakecluster.DriverMistakes{UnpreparesAll: true}), Spec: "unprepare-leaves-other-claims",
		Want: []string{"claim stays should be prepared: true"},
	},
	"kubelet lets a pod with a whole device be removed before its driver has responded": {
		Options: wholeGPUs(fakecluster.KubeletMistakes{LetsGo: true}), Spec: "release-waits-for-unprepare",
		Want: []string{"pod whole-0 should be unschedulable, because claim before holds a device that the driver has not unprepared", "claim whole was allocated"},
	},
	"containers see whole devices of requests that they do not name": {
		Options: wholeGPUs(fakecluster.ContainerMistakes{ShowsAllRequests: true}), Spec: "containers-see-their-requests",
		Want: []string{"container one of pod pod should see the devices of the claims that it uses and no others", "the extra elements were", `Device: "gpu-1"`},
	},
}

// wholeGPUs returns the options of a cluster with faults whose GPUs cannot be
// partitioned.
func wholeGPUs(faults ...fakecluster.ComponentMistakes) fakecluster.Options {
	return fakecluster.Options{GPUs: 4, WithoutPartitions: true, Mistakes: fakecluster.MistakesOf(faults...)}
}
