// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"time"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite"
)

// wrongContract are clusters in which the kubelet or the driver violates the
// contract between them.
var wrongContract = wrong.Table{
	"kubelet does not retry": {
		Options: wrong.With(fakecluster.KubeletMistakes{NeverRetries: true}), Spec: "failed-prepare-is-retried",
		Want: []string{"while waiting until pod one-0 runs", "FailedPrepareDynamicResources: fault of the spec: failed call"},
	},
	"kubelet ignores the error of a claim when preparing": {
		Options: wrong.With(fakecluster.KubeletMistakes{IgnoresClaimErrors: true}), Spec: "failed-prepare-is-retried",
		Want: []string{"the last call should succeed for claim", "fault of the spec: failed claim"},
	},
	"kubelet ignores that a claim is missing when preparing": {
		Options: wrong.With(fakecluster.KubeletMistakes{IgnoresOmitted: true}), Spec: "failed-prepare-is-retried",
		Want: []string{"the last call should succeed for claim", "fault of the spec: omitted claim"},
	},
	"kubelet reads the first claim of a response only": {
		Options: wrong.With(fakecluster.KubeletMistakes{IgnoresLaterClaims: true}), Spec: "failed-claim-of-several-is-noticed",
		Want: []string{"while waiting until an event reports why pod second is not started", "pod second is Running and was started"},
	},
	"kubelet ignores that one of two claims is missing": {
		Options: wrong.With(fakecluster.KubeletMistakes{IgnoresOmitted: true}), Spec: "failed-claim-of-several-is-noticed",
		Want: []string{"while waiting until an event reports why pod first is not started", "pod first is Running and was started"},
	},
	"kubelet does not prepare the claims of a pod again after one of them has failed": {
		Options: wrong.With(fakecluster.KubeletMistakes{NeverRetries: true}), Spec: "failed-claim-of-several-is-noticed",
		Want: []string{"while waiting until pod first runs", "fault of the spec: failed claim"},
	},
	"kubelet does not have claims unprepared that were not prepared successfully": {
		Options: wrong.With(fakecluster.KubeletMistakes{ForgetsFailed: true}), Spec: "failed-prepare-is-unprepared",
		Want: []string{"the kubelet should call NodeUnprepareResources for claim lost"},
	},
	"driver does not unprepare a claim of which its response was lost": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "failed-prepare-is-unprepared",
		Want: []string{"claim lost should be prepared: false"},
	},
	"kubelet ignores the error of a claim when unpreparing": {
		Options: wrong.With(fakecluster.KubeletMistakes{IgnoresClaimErrors: true}), Spec: "failed-unprepare-is-retried",
		Want: []string{"the last call should succeed for claim", "fault of the spec: failed claim"},
	},
	"kubelet ignores that a claim is missing when unpreparing": {
		Options: wrong.With(fakecluster.KubeletMistakes{IgnoresOmitted: true}), Spec: "failed-unprepare-is-retried",
		Want: []string{"the last call should succeed for claim", "fault of the spec: omitted claim"},
	},
	"kubelet prepares claims again only for changed pods": {
		Options: wrong.With(fakecluster.KubeletMistakes{RetriesChangedPods: true}), Spec: "untouched-pod-is-prepared-again",
		Want: []string{"while waiting until pod one-0 runs", "FailedPrepareDynamicResources: fault of the spec: failed call"},
	},
	"kubelet ignores the error of a claim of a pod that it should retry": {
		Options: wrong.With(fakecluster.KubeletMistakes{IgnoresClaimErrors: true}), Spec: "untouched-pod-is-prepared-again",
		Want: []string{"the last call should succeed for claim", "fault of the spec: failed claim"},
	},
	"kubelet waits for the driver of changed pods only": {
		Options: wrong.With(fakecluster.KubeletMistakes{RetriesChangedPods: true}), Spec: "untouched-pod-waits-for-driver",
		Want: []string{"while waiting until pod late-0 runs", "driver mig.example.com is not registered"},
	},
	"kubelet unprepares claims again only for changed pods": {
		Options: wrong.With(fakecluster.KubeletMistakes{RetriesChangedPods: true}), Spec: "failed-unprepare-is-retried",
		Want: []string{"while deleting pods [one-0 two-0 several]", "pod one-0 still exists"},
	},
	"kubelet that is right unprepares claims again after a while": {
		Options: fakecluster.Options{SyncPeriod: 3 * time.Second}, Spec: "failed-unprepare-is-retried", Outcome: suite.Passed,
	},
	"kubelet unprepares the claim of a pod that was never started": {
		Options: wrong.With(fakecluster.KubeletMistakes{UnpreparesForAny: true}), Spec: "waiting-pod-leaves-claim-prepared",
		Want: []string{"pod shared-0 still uses claim shared"},
	},
	"kubelet starts a pod whose claim is being unprepared": {
		Options: wrong.With(fakecluster.KubeletMistakes{UsesUnpreparing: true}), Spec: "claim-is-not-used-while-unprepared",
		Want: []string{"pod second is Running and was started, although its devices were not prepared"},
	},
	"kubelet does not prepare claims that no container references": {
		Options: wrong.With(fakecluster.KubeletMistakes{PreparesUsedOnly: true}), Spec: "unused-claim-is-prepared",
		Want: []string{"NodePrepareResources", "for claim claim"},
	},
	"kubelet does not start pods with claims without devices": {
		Options: wrong.With(fakecluster.KubeletMistakes{RefusesEmptyClaims: true}), Spec: "claim-without-devices-is-run",
		Want: []string{"pod alone", "no devices are allocated for claim empty"},
	},
	"kubelet prepares no claims beside one that is prepared": {
		Options: wrong.With(fakecluster.KubeletMistakes{StopsAtPrepared: true}), Spec: "claims-beside-prepared-ones",
		Want: []string{"claim own-"},
	},
	"kubelet mistakes a claim for an older one with the same name": {
		Options: wrong.With(fakecluster.KubeletMistakes{MixesUpClaims: true}), Spec: "new-claim-waits-for-its-namesake",
		Want: []string{"while waiting until an event reports why pod namesake-0 is not started", "pod namesake-0 is Running and was started"},
	},
	"kubelet starts pods whose claims are reserved for others": {
		Options: wrong.With(fakecluster.KubeletMistakes{IgnoresReservedFor: true}), Spec: "reserved-for-others-is-not-run",
		Want: []string{"while waiting until an event reports why pod intruder is not started", "pod intruder is Running and was started"},
	},
	"kubelet does not run devices without CDI devices": {
		Options: wrong.With(fakecluster.KubeletMistakes{NeedsCDIDevices: true}), Spec: "device-without-cdi-devices-is-run",
		Want: []string{"while waiting until pod claim-0 runs", "claim claim has a device without CDI devices"},
	},
	"kubelet does not retry to unprepare": {
		Options: wrong.With(fakecluster.KubeletMistakes{LetsGo: true, ForgetsForced: true}), Spec: "failed-unprepare-is-retried",
		Want: []string{"the last call should succeed for claim", "fault of the spec: failed call"},
	},
	"kubelet does not unprepare": {
		Options: wrong.With(fakecluster.KubeletMistakes{NeverAsks: true}), Spec: "failed-unprepare-is-retried",
		Want: []string{"the kubelet should call NodeUnprepareResources for claim one"},
	},
	"driver does not unprepare a claim that was prepared twice": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "failed-unprepare-is-retried",
		Want: []string{"claim one should be prepared: false"},
	},
	"kubelet lets a pod be removed before its driver has responded": {
		Options: wrong.With(fakecluster.KubeletMistakes{LetsGo: true}), Spec: "release-waits-for-unprepare",
		Want: []string{"pod whole-0 should be unschedulable, because claim before holds a device that the driver has not unprepared", "claim whole was allocated"},
	},
	"kubelet unprepares a claim with the first of its pods that completes": {
		Options: wrong.With(fakecluster.KubeletMistakes{UnpreparesCompleted: true}), Spec: "shared-claim-unprepared-by-last-pod",
		Want: []string{"pod second still uses claim shared"},
	},
	"kubelet ignores the error of a claim that is not the first one when unpreparing": {
		Options: wrong.With(fakecluster.KubeletMistakes{IgnoresLaterUnprepares: true}), Spec: "failed-unprepare-is-retried",
		Want: []string{"the last call should succeed for claim three", "fault of the spec: failed claim"},
	},
	"kubelet starts pods whose claims are reserved for an earlier pod of this name": {
		Options: wrong.With(fakecluster.KubeletMistakes{ComparesUserNames: true}), Spec: "reserved-for-others-is-not-run",
		Want: []string{"while waiting until an event reports why pod taken-0 is not started", "pod taken-0 is Running and was started"},
	},
	"kubelet unprepares a claim with the first of its pods": {
		Options: wrong.With(fakecluster.KubeletMistakes{UnpreparesEarly: true}), Spec: "shared-claim-unprepared-by-last-pod",
		Want: []string{"pod second still uses claim shared"},
	},
	"driver does not unprepare a claim that two pods used": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "shared-claim-unprepared-by-last-pod",
		Want: []string{"claim shared should be prepared: false"},
	},
	"kubelet does not unprepare claims of force-deleted pods": {
		Options: wrong.With(fakecluster.KubeletMistakes{ForgetsForced: true}), Spec: "force-deleted-pod-is-unprepared",
		Want: []string{"while force-deleting pod before-0", "claim before should be prepared: false"},
	},
	"init containers do not see devices": {
		Options: wrong.With(fakecluster.ContainerMistakes{HidesFromInit: true}), Spec: "init-containers-see-devices",
		Want: []string{"container init-user of pod pod-0 should see the devices of the claims that it uses and no others", "the missing elements were"},
	},
	"sidecars do not see devices": {
		Options: wrong.With(fakecluster.ContainerMistakes{HidesFromSidecars: true}), Spec: "init-containers-see-devices",
		Want: []string{"container sidecar of pod pod-0 should see the devices of the claims that it uses and no others", "the missing elements were"},
	},
	"containers see devices of claims that they do not use": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsAll: true}), Spec: "init-containers-see-devices",
		Want: []string{"container init-bystander of pod pod-0 should see the devices of the claims that it uses and no others"},
	},
	"restarted container does not see devices": {
		Options: wrong.With(fakecluster.ContainerMistakes{RestartHides: true}), Spec: "restarted-container-sees-devices",
		Want: []string{"container workload of pod pod-0 should see the devices of the claims that it uses", "the missing elements were"},
	},
	"kubelet does not restart a container": {
		Options: wrong.With(fakecluster.KubeletMistakes{NeverStarts: true}), Spec: "restarted-container-sees-devices",
		Want: []string{"while waiting until the container of pod pod-0 is restarted", "the kubelet should restart the container"},
	},
	"driver does not unprepare claims of deleted pods": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "churn-leaves-nothing-prepared",
		Want: []string{"claim claim-0-0 should be prepared: false"},
	},
	"kubelet does not unprepare claims of deleted pods": {
		Options: wrong.With(fakecluster.KubeletMistakes{NeverAsks: true}), Spec: "churn-leaves-nothing-prepared",
		Want: []string{"claim claim-0-0 should be prepared: false"},
	},
}
