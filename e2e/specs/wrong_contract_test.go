package specs_test

import "github.com/draconform/draconform/e2e/internal/fakecluster"

// wrongContract are clusters in which the kubelet or the driver violates the
// contract between them.
var wrongContract = map[string]mistake{
	"kubelet does not ask again": {
		cluster: makes(fakecluster.Mistakes{NeverRetries: true}), spec: "failed-prepare-is-retried",
		want: []string{"while waiting until pod one-0 runs", "FailedPrepareDynamicResources: the spec wants this call to fail"},
	},
	"kubelet does not read that a claim could not be prepared": {
		cluster: makes(fakecluster.Mistakes{IgnoresClaimErrors: true}), spec: "failed-prepare-is-retried",
		want: []string{"the last call should have done it for claim", "the spec wants this claim to fail"},
	},
	"kubelet does not miss a claim that was not prepared": {
		cluster: makes(fakecluster.Mistakes{IgnoresOmitted: true}), spec: "failed-prepare-is-retried",
		want: []string{"the last call should have done it for claim", "the spec wants this claim to be left out"},
	},
	"kubelet does not read that a claim was not given back": {
		cluster: makes(fakecluster.Mistakes{IgnoresClaimErrors: true}), spec: "failed-unprepare-is-retried",
		want: []string{"the last call should have done it for claim", "the spec wants this claim to fail"},
	},
	"kubelet does not miss a claim that was not given back": {
		cluster: makes(fakecluster.Mistakes{IgnoresOmitted: true}), spec: "failed-unprepare-is-retried",
		want: []string{"the last call should have done it for claim", "the spec wants this claim to be left out"},
	},
	"kubelet gives back what a pod lists that was never started": {
		cluster: makes(fakecluster.Mistakes{UnpreparesForAny: true}), spec: "waiting-pod-leaves-claim-prepared",
		want: []string{"pod shared-0 still uses claim shared"},
	},
	"kubelet takes a claim for an older one of its name": {
		cluster: makes(fakecluster.Mistakes{MixesUpClaims: true}), spec: "new-claim-waits-for-its-namesake",
		want: []string{"while waiting until an event of pod namesake-0 says: namesake", "pod namesake-0 is Running and was started"},
	},
	"kubelet starts pods whose claims are reserved for others": {
		cluster: makes(fakecluster.Mistakes{IgnoresReservedFor: true}), spec: "reserved-for-others-is-not-run",
		want: []string{"while waiting until an event of pod intruder says", "pod intruder is Running and was started"},
	},
	"kubelet gives up to give back": {
		cluster: makes(fakecluster.Mistakes{LetsGo: true, ForgetsForced: true}), spec: "failed-unprepare-is-retried",
		want: []string{"the last call should have done it for claim", "the spec wants this call to fail"},
	},
	"kubelet gives nothing back": {
		cluster: makes(fakecluster.Mistakes{NeverAsks: true}), spec: "failed-unprepare-is-retried",
		want: []string{"the kubelet should call NodeUnprepareResources for claim one"},
	},
	"driver does not give back what it was asked for twice": {
		cluster: makes(fakecluster.Mistakes{NeverUnprepares: true}), spec: "failed-unprepare-is-retried",
		want: []string{"claim one should be prepared: false"},
	},
	"kubelet lets a pod go before its driver has answered": {
		cluster: makes(fakecluster.Mistakes{LetsGo: true}), spec: "release-waits-for-unprepare",
		want: []string{"pod whole-0 should be refused, because claim before holds a device that the driver has not given back", "claim whole was allocated"},
	},
	"kubelet gives a claim back with the first of its pods": {
		cluster: makes(fakecluster.Mistakes{UnpreparesEarly: true}), spec: "shared-claim-unprepared-by-last-pod",
		want: []string{"pod second still uses claim shared"},
	},
	"driver keeps a claim prepared that two pods used": {
		cluster: makes(fakecluster.Mistakes{NeverUnprepares: true}), spec: "shared-claim-unprepared-by-last-pod",
		want: []string{"claim shared should be prepared: false"},
	},
	"kubelet forgets pods that are deleted by force": {
		cluster: makes(fakecluster.Mistakes{ForgetsForced: true}), spec: "force-deleted-pod-is-unprepared",
		want: []string{"while deleting by force pod before-0", "claim before should be prepared: false"},
	},
	"init containers do not see devices": {
		cluster: makes(fakecluster.Mistakes{HidesFromInit: true}), spec: "init-containers-see-devices",
		want: []string{"container init-user of pod pod-0 should see the devices of the claims that it uses and no others", "the missing elements were"},
	},
	"containers see devices of claims that they do not use": {
		cluster: makes(fakecluster.Mistakes{ShowsAll: true}), spec: "init-containers-see-devices",
		want: []string{"container init-bystander of pod pod-0 should see the devices of the claims that it uses and no others"},
	},
	"container that is started again does not see devices": {
		cluster: makes(fakecluster.Mistakes{RestartHides: true}), spec: "restarted-container-sees-devices",
		want: []string{"container workload of pod pod-0 should see the devices of the claims that it uses", "the missing elements were"},
	},
	"kubelet does not start a container again": {
		cluster: makes(fakecluster.Mistakes{NeverStarts: true}), spec: "restarted-container-sees-devices",
		want: []string{"while waiting until the container of pod pod-0 is started again", "the kubelet should start the container again"},
	},
	"driver keeps claims of pods that come and go": {
		cluster: makes(fakecluster.Mistakes{NeverUnprepares: true}), spec: "churn-leaves-nothing-prepared",
		want: []string{"claim claim-0-0 should be prepared: false"},
	},
	"kubelet does not give back what pods used that come and go": {
		cluster: makes(fakecluster.Mistakes{NeverAsks: true}), spec: "churn-leaves-nothing-prepared",
		want: []string{"claim claim-0-0 should be prepared: false"},
	},
}
