package driver_test

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongDrivers are clusters in which the driver, the kubelet or the control
// plane handles claims incorrectly.
var wrongDrivers = wrong.Table{
	"driver keeps claims prepared": {
		Options: wrong.With(fakecluster.Mistakes{NeverUnprepares: true}), Spec: "exclusive-is-prepared-and-released",
		Want: []string{"claim before should be prepared: false", "driver mig.example.com on node node-1 has prepared [draconform-test-1/before]"},
	},
	"driver gives back more than is asked": {
		Options: wrong.With(fakecluster.Mistakes{UnpreparesAll: true}), Spec: "unprepare-leaves-other-claims",
		Want: []string{"claim stays should be prepared: true"},
	},
	"driver does not prepare what it has prepared": {
		Options: wrong.With(fakecluster.Mistakes{PreparesOnce: true}), Spec: "answers-are-the-same-again",
		Want: []string{"while waiting until pod again-0 runs", "pod again-0 is Pending: last event: FailedPrepareDynamicResources"},
	},
	"driver prepares something else when it is asked again": {
		Options: wrong.With(fakecluster.Mistakes{PreparesOthersAgain: true}), Spec: "answers-are-the-same-again",
		Want: []string{"the driver should answer the same CDI devices for claim again each time", "-again"},
	},
	"driver does not give back what is given back": {
		Options: wrong.With(fakecluster.Mistakes{UnpreparesOnce: true}), Spec: "answers-are-the-same-again",
		Want: []string{"while removing pod and claim again", "pod again-0 is still there"},
	},
	"kubelet does not ask again whose answer was lost": {
		Options: wrong.With(fakecluster.Mistakes{NeverRetries: true}), Spec: "answers-are-the-same-again",
		Want: []string{"while waiting until pod again-0 runs", "the spec wants this answer to be lost"},
	},
	"containers see requests that they do not name": {
		Options: wrong.With(fakecluster.Mistakes{ShowsAllRequests: true}), Spec: "containers-see-their-requests",
		Want: []string{"container one of pod pod should see the devices of the claims that it uses and no others", "the extra elements were"},
	},
	"scheduler binds pods whose claims are not reserved": {
		Options: wrong.With(fakecluster.Mistakes{BindsFirst: true}), Spec: "reserved-before-bound",
		Want: []string{"pod refused should not be bound, because its claim is not reserved for it", "was bound to node"},
	},
	"kubelet starts pods whose claims are not reserved": {
		Options: wrong.With(fakecluster.Mistakes{IgnoresReservations: true}), Spec: "not-reserved-is-not-run",
		Want: []string{"while waiting until an event of pod first says", "pod first is Running and was started"},
	},
	"kubelet does not say which claim is not reserved": {
		Options: wrong.With(fakecluster.Mistakes{NeverStarts: true}), Spec: "not-reserved-is-not-run",
		Want: []string{"no warning about pod first says \"never-allocated\"", "the driver does not answer"},
	},
	"no claims are made from templates": {
		Options: wrong.With(fakecluster.Mistakes{MakesNoClaims: true}), Spec: "made-claims-are-freed",
		Want: []string{"while waiting until pod first is scheduled", "pod first is not scheduled"},
	},
	"kubelet forgets a claim that is gone with its pod": {
		Options: wrong.With(fakecluster.Mistakes{ForgetsForced: true}), Spec: "made-claim-is-unprepared",
		Want: []string{"should be prepared: false"},
	},
	"driver leaves files of claims that were given back": {
		Options: wrong.With(fakecluster.Mistakes{LeavesFiles: true}), Spec: "exclusive-is-prepared-and-released",
		Want: []string{"claim before should be prepared: false", "has prepared [], and there are CDI files for [uid-"},
	},
}
