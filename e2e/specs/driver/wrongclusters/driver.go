// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongDrivers are clusters in which the driver, the kubelet or the control
// plane handles claims incorrectly.
var wrongDrivers = wrong.Table{
	"driver does not unprepare claims": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "exclusive-is-prepared-and-released",
		Want: []string{"claim before should be prepared: false", "driver mig.example.com on node node-1 has prepared [draconform-test-1/before]"},
	},
	"kubelet keeps a claim prepared that a pod of another node uses": {
		Options: fakecluster.Options{Nodes: 4, TPU: "tpu.example.com", Mistakes: fakecluster.MistakesOf(fakecluster.KubeletMistakes{KeepsUsedElsewhere: true})}, Spec: "multi-host-is-prepared-and-released",
		Want: []string{"claim before should be prepared: false"},
	},
	"driver unprepares other claims, too": {
		Options: wrong.With(fakecluster.DriverMistakes{UnpreparesAll: true}), Spec: "unprepare-leaves-other-claims",
		Want: []string{"claim stays should be prepared: true"},
	},
	"driver fails to prepare a prepared claim": {
		Options: wrong.With(fakecluster.DriverMistakes{PreparesOnce: true}), Spec: "answers-are-the-same-again",
		Want: []string{"while waiting until pod again-0 runs", "pod again-0 is Pending: last event: FailedPrepareDynamicResources"},
	},
	"driver prepares other devices when it is called again": {
		Options: wrong.With(fakecluster.DriverMistakes{PreparesOthersAgain: true}), Spec: "answers-are-the-same-again",
		Want: []string{"the driver should return the same CDI devices for claim again each time", "-again"},
	},
	"driver fails to unprepare an unprepared claim": {
		Options: wrong.With(fakecluster.DriverMistakes{UnpreparesOnce: true}), Spec: "answers-are-the-same-again",
		Want: []string{"while deleting pod and claim again", "pod again-0 still exists"},
	},
	"kubelet does not repeat a call whose response was lost": {
		Options: wrong.With(fakecluster.KubeletMistakes{NeverRetries: true}), Spec: "answers-are-the-same-again",
		Want: []string{"while waiting until pod again-0 runs", "fault of the spec: lost response"},
	},
	"containers see requests that they do not name": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsAllRequests: true}), Spec: "containers-see-their-requests",
		Want: []string{"container one of pod pod should see the devices of the claims that it uses and no others", "the extra elements were"},
	},
	"containers see requests whose names begin with the name that they give": {
		Options: wrong.With(fakecluster.ContainerMistakes{ComparesRequestsByPrefix: true}), Spec: "containers-see-their-requests",
		Want: []string{"container one of pod pod should see the devices of the claims that it uses and no others", "the extra elements were"},
	},
	"containers see another claim of their pod": {
		Options: wrong.With(fakecluster.ContainerMistakes{MixesUpPodClaims: true}), Spec: "containers-see-their-claims",
		Want: []string{"container one of pod pod should see the devices of the claims that it uses and no others"},
	},
	"containers see requests of this name of all claims": {
		Options: wrong.With(fakecluster.ContainerMistakes{ComparesRequestsOnly: true}), Spec: "containers-see-their-claims",
		Want: []string{"container one of pod pod should see the devices of the claims that it uses and no others", "the extra elements were"},
	},
	"containers see the last of the requests that they name": {
		Options: wrong.With(fakecluster.ContainerMistakes{UsesLastRequest: true}), Spec: "containers-see-their-claims",
		Want: []string{"container one of pod pod should see the devices of the claims that it uses and no others", "the missing elements were"},
	},
	"containers do not see devices that are for all requests": {
		Options: wrong.With(fakecluster.ContainerMistakes{IgnoresAllRequests: true}), Spec: "device-without-requests-is-of-all-requests",
		Want: []string{"container one of pod pod should see the devices of the claims that it uses and no others", "the missing elements were"},
	},
	"scheduler binds pods whose claims are not reserved": {
		Options: wrong.With(fakecluster.SchedulerMistakes{BindsFirst: true}), Spec: "reserved-before-bound",
		Want: []string{"pod not-reserved should not be bound, because its claim is not reserved for it", "was bound to node"},
	},
	"kubelet starts pods whose claims are not reserved": {
		Options: wrong.With(fakecluster.KubeletMistakes{IgnoresReservations: true}), Spec: "not-reserved-is-not-run",
		Want: []string{"while waiting until an event reports why pod first is not started", "pod first is Running and was started"},
	},
	"kubelet does not report which claim is not reserved": {
		Options: wrong.With(fakecluster.KubeletMistakes{NeverStarts: true}), Spec: "not-reserved-is-not-run",
		Want: []string{"no event of pod first has one of [\"never-allocated\" \"devices-0\" \"uid-", "the driver does not answer"},
	},
	"no claims are generated from templates": {
		Options: wrong.With(fakecluster.ControllerMistakes{MakesNoClaims: true}), Spec: "made-claims-are-freed",
		Want: []string{"while waiting until pod first is scheduled", "pod first is not scheduled"},
	},
	"kubelet does not unprepare a claim that is deleted with its pod": {
		Options: wrong.With(fakecluster.KubeletMistakes{ForgetsForced: true}), Spec: "made-claim-is-unprepared",
		Want: []string{"should be prepared: false"},
	},
	"driver leaves CDI files of unprepared claims": {
		Options: wrong.With(fakecluster.DriverMistakes{LeavesFiles: true}), Spec: "exclusive-is-prepared-and-released",
		Want: []string{"claim before should be prepared: false", "has prepared [], and there are CDI files for [uid-"},
	},
}
