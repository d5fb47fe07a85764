// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/fakedriver/calls"
)

// wrongCalls are clusters in which the kubelet calls the driver at the wrong
// time or with the wrong claims.
var wrongCalls = wrong.Table{
	"kubelet calls the driver for each claim of a pod": {
		Options: wrong.With(fakecluster.KubeletMistakes{CallsSeparately: true}), Spec: "claims-of-a-pod-share-a-call",
		Want: []string{"NodePrepareResources should be called for all claims of the pod together", "the missing elements were"},
	},
	"kubelet names the claims of other pods": {
		Options: wrong.With(fakecluster.KubeletMistakes{CallsForNeighbours: true}), Spec: "claims-of-a-pod-share-a-call",
		Want: []string{"NodePrepareResources should be called for all claims of the pod together", "the extra elements were", "/neighbour"},
	},
	"kubelet sends the UID of another claim": {
		Options: wrong.With(fakecluster.KubeletMistakes{Miscalls: func(c *calls.Claim) { c.UID = "another" }}), Spec: "claims-of-a-pod-share-a-call",
		Want: []string{"NodePrepareResources should be called with the UID of claim one", "another"},
	},
	"kubelet sends the name that the pod gives to its claim": {
		Options: wrong.With(fakecluster.KubeletMistakes{Miscalls: func(c *calls.Claim) { c.Name = "devices-0" }}), Spec: "claims-of-a-pod-share-a-call",
		Want: []string{"the kubelet should call NodePrepareResources for claim one"},
	},
	"kubelet sends another namespace": {
		Options: wrong.With(fakecluster.KubeletMistakes{Miscalls: func(c *calls.Claim) { c.Namespace = "default" }}), Spec: "claims-of-a-pod-share-a-call",
		Want: []string{"the kubelet should call NodePrepareResources for claim one"},
	},
	"kubelet starts containers while the driver prepares": {
		Options: wrong.With(fakecluster.KubeletMistakes{StartsUnprepared: true}), Spec: "calls-surround-containers",
		Want: []string{"the driver should have prepared claim slow, because pod slow-0 runs"},
	},
	"kubelet starts init containers before the driver prepares": {
		Options: wrong.With(fakecluster.KubeletMistakes{StartsInitUnprepared: true}), Spec: "calls-surround-containers",
		Want: []string{"should not start before the driver prepared the claim"},
	},
	"kubelet has the driver unprepare while containers run": {
		Options: wrong.With(fakecluster.KubeletMistakes{UnpreparesRunning: true}), Spec: "calls-surround-containers",
		Want: []string{"should not be called before the containers ended"},
	},
}
