package driver_test

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongContract are clusters in which the kubelet or the driver violates the
// contract between them.
var wrongContract = wrong.Table{
	"kubelet does not ask again": {
		Options: wrong.With(fakecluster.Mistakes{NeverRetries: true}), Spec: "failed-prepare-is-retried",
		Want: []string{"while waiting until pod one-0 runs", "FailedPrepareDynamicResources: the spec wants this call to fail"},
	},
	"kubelet does not read that a claim could not be prepared": {
		Options: wrong.With(fakecluster.Mistakes{IgnoresClaimErrors: true}), Spec: "failed-prepare-is-retried",
		Want: []string{"the last call should have done it for claim", "the spec wants this claim to fail"},
	},
	"kubelet does not miss a claim that was not prepared": {
		Options: wrong.With(fakecluster.Mistakes{IgnoresOmitted: true}), Spec: "failed-prepare-is-retried",
		Want: []string{"the last call should have done it for claim", "the spec wants this claim to be left out"},
	},
	"kubelet does not read that a claim was not given back": {
		Options: wrong.With(fakecluster.Mistakes{IgnoresClaimErrors: true}), Spec: "failed-unprepare-is-retried",
		Want: []string{"the last call should have done it for claim", "the spec wants this claim to fail"},
	},
	"kubelet does not miss a claim that was not given back": {
		Options: wrong.With(fakecluster.Mistakes{IgnoresOmitted: true}), Spec: "failed-unprepare-is-retried",
		Want: []string{"the last call should have done it for claim", "the spec wants this claim to be left out"},
	},
	"kubelet gives back what a pod lists that was never started": {
		Options: wrong.With(fakecluster.Mistakes{UnpreparesForAny: true}), Spec: "waiting-pod-leaves-claim-prepared",
		Want: []string{"pod shared-0 still uses claim shared"},
	},
	"kubelet takes a claim for an older one of its name": {
		Options: wrong.With(fakecluster.Mistakes{MixesUpClaims: true}), Spec: "new-claim-waits-for-its-namesake",
		Want: []string{"while waiting until an event of pod namesake-0 says: namesake", "pod namesake-0 is Running and was started"},
	},
	"kubelet starts pods whose claims are reserved for others": {
		Options: wrong.With(fakecluster.Mistakes{IgnoresReservedFor: true}), Spec: "reserved-for-others-is-not-run",
		Want: []string{"while waiting until an event of pod intruder says", "pod intruder is Running and was started"},
	},
	"kubelet gives up to give back": {
		Options: wrong.With(fakecluster.Mistakes{LetsGo: true, ForgetsForced: true}), Spec: "failed-unprepare-is-retried",
		Want: []string{"the last call should have done it for claim", "the spec wants this call to fail"},
	},
	"kubelet gives nothing back": {
		Options: wrong.With(fakecluster.Mistakes{NeverAsks: true}), Spec: "failed-unprepare-is-retried",
		Want: []string{"the kubelet should call NodeUnprepareResources for claim one"},
	},
	"driver does not give back what it was asked for twice": {
		Options: wrong.With(fakecluster.Mistakes{NeverUnprepares: true}), Spec: "failed-unprepare-is-retried",
		Want: []string{"claim one should be prepared: false"},
	},
	"kubelet lets a pod go before its driver has answered": {
		Options: wrong.With(fakecluster.Mistakes{LetsGo: true}), Spec: "release-waits-for-unprepare",
		Want: []string{"pod whole-0 should be refused, because claim before holds a device that the driver has not given back", "claim whole was allocated"},
	},
	"kubelet gives a claim back with the first of its pods": {
		Options: wrong.With(fakecluster.Mistakes{UnpreparesEarly: true}), Spec: "shared-claim-unprepared-by-last-pod",
		Want: []string{"pod second still uses claim shared"},
	},
	"driver keeps a claim prepared that two pods used": {
		Options: wrong.With(fakecluster.Mistakes{NeverUnprepares: true}), Spec: "shared-claim-unprepared-by-last-pod",
		Want: []string{"claim shared should be prepared: false"},
	},
	"kubelet forgets pods that are deleted by force": {
		Options: wrong.With(fakecluster.Mistakes{ForgetsForced: true}), Spec: "force-deleted-pod-is-unprepared",
		Want: []string{"while deleting by force pod before-0", "claim before should be prepared: false"},
	},
	"init containers do not see devices": {
		Options: wrong.With(fakecluster.Mistakes{HidesFromInit: true}), Spec: "init-containers-see-devices",
		Want: []string{"container init-user of pod pod-0 should see the devices of the claims that it uses and no others", "the missing elements were"},
	},
	"containers see devices of claims that they do not use": {
		Options: wrong.With(fakecluster.Mistakes{ShowsAll: true}), Spec: "init-containers-see-devices",
		Want: []string{"container init-bystander of pod pod-0 should see the devices of the claims that it uses and no others"},
	},
	"container that is started again does not see devices": {
		Options: wrong.With(fakecluster.Mistakes{RestartHides: true}), Spec: "restarted-container-sees-devices",
		Want: []string{"container workload of pod pod-0 should see the devices of the claims that it uses", "the missing elements were"},
	},
	"kubelet does not start a container again": {
		Options: wrong.With(fakecluster.Mistakes{NeverStarts: true}), Spec: "restarted-container-sees-devices",
		Want: []string{"while waiting until the container of pod pod-0 is started again", "the kubelet should start the container again"},
	},
	"driver keeps claims of pods that come and go": {
		Options: wrong.With(fakecluster.Mistakes{NeverUnprepares: true}), Spec: "churn-leaves-nothing-prepared",
		Want: []string{"claim claim-0-0 should be prepared: false"},
	},
	"kubelet does not give back what pods used that come and go": {
		Options: wrong.With(fakecluster.Mistakes{NeverAsks: true}), Spec: "churn-leaves-nothing-prepared",
		Want: []string{"claim claim-0-0 should be prepared: false"},
	},
}
