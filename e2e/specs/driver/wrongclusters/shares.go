// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongShares are clusters whose driver of shared devices handles shares
// incorrectly.
var wrongShares = wrong.Table{
	"driver subtracts shares from the capacity of their device": {
		Options: withNIC(fakecluster.DriverMistakes{PublishesUse: func(d *resourceapi.Device, used bool) {
			if used {
				d.Capacity = nil
			}
		}}), Spec: "shared-slices-do-not-depend-on-use",
		Want: []string{"what driver nic.example.com publishes should not depend on which devices are in use", "is published with"},
	},
	"driver shows the first share of a claim only": {
		Options: withNIC(fakecluster.ContainerMistakes{ShowsAtMost: 1}), Spec: "shares-of-a-claim-are-prepared",
		Want: []string{"container two of pod pod should see the devices of the claims that it uses and no others", "the missing elements were"},
	},
	"containers see all shares of a claim": {
		Options: withNIC(fakecluster.ContainerMistakes{ShowsAllRequests: true}), Spec: "shares-of-a-claim-are-prepared",
		Want: []string{"container one of pod pod should see the devices of the claims that it uses and no others", "the extra elements were"},
	},
	"driver unprepares other shares of a device, too": {
		Options: withNIC(fakecluster.DriverMistakes{UnpreparesAll: true}), Spec: "unprepare-leaves-other-shares",
		Want: []string{"claim stays should be prepared: true"},
	},
	"restarted driver takes a share for the whole device": {
		Options: withNIC(fakecluster.DriverMistakes{RestartFillsDevices: true}), Spec: "share-is-prepared-after-driver-restart",
		Want: []string{"while waiting until pod second-0 runs", "is held by claim"},
	},
	"restarted driver unprepares other shares of a device, too": {
		Options: withNIC(fakecluster.DriverMistakes{UnpreparesAll: true}), Spec: "share-is-prepared-after-driver-restart",
		Want: []string{"claim second should be prepared: true"},
	},
	"driver forgets its shares because its checkpoint is lost": {
		Options: withNIC(fakecluster.DriverMistakes{RestartForgets: true}), Spec: "checkpoint-of-shares-is-survived",
		Want: []string{"driver nic.example.com on node node-1 should have the same prepared claims as before"},
	},
	"driver takes a share for the whole device because its checkpoint is lost": {
		Options: withNIC(fakecluster.DriverMistakes{RestartFillsDevices: true}), Spec: "checkpoint-of-shares-is-survived",
		Want: []string{"while waiting until pod after-0 runs", "is held by claim"},
	},
	"driver does not unprepare shares": {
		Options: withNIC(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "unprepare-leaves-other-shares",
		Want: []string{"claim goes should be prepared: false"},
	},
}
