// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite"
)

// wrongUpdates are clusters whose API server stores changes of objects that it must
// reject or ignore.
var wrongUpdates = wrong.Table{
	"claims can be changed": {
		Options: wrong.With(fakecluster.APIServerMistakes{ChangesClaims: func(*resourceapi.ResourceClaim) bool { return true }}), Spec: "claim-is-immutable",
		Want: []string{"the API server should reject an update of claim unallocated that changes", "because of spec: <nil>"},
	},
	"claims can be changed when they are allocated": {
		Options: wrong.With(fakecluster.APIServerMistakes{ChangesClaims: isAllocated}), Spec: "claim-is-immutable",
		Want: []string{"the API server should reject an update of claim allocated that changes", "because of spec: <nil>"},
	},
	"an API server that keeps the specs of claims": {Spec: "claim-is-immutable", Outcome: suite.Passed},
	"allocations can be replaced": {
		Options: ignoresInAllocations(func(a *resourceapi.AllocationResult) { *a = resourceapi.AllocationResult{} }), Spec: "allocation-is-immutable",
		Want: []string{"the API server should reject an update of claim card that changes", "because of status.allocation: <nil>"},
	},
	"the nodes of allocations can be changed": {
		Options: ignoresInAllocations(func(a *resourceapi.AllocationResult) { a.NodeSelector = nil }), Spec: "allocation-is-immutable",
		Want: []string{"of the allocation", "because of status.allocation: <nil>"},
	},
	"the configuration of allocations can be changed": {
		Options: ignoresInAllocations(func(a *resourceapi.AllocationResult) { a.Devices.Config = nil }), Spec: "allocation-is-immutable",
		Want: []string{"that changes the configuration of the allocation, because of status.allocation: <nil>"},
	},
	"the devices of allocations can be removed": {
		Options: ignoresInAllocations(func(a *resourceapi.AllocationResult) {
			if len(a.Devices.Results) <= 1 {
				a.Devices.Results = nil
			}
		}),
		Spec: "allocation-is-immutable", Want: []string{"because of status.allocation: <nil>"},
	},
	"an API server that keeps allocations": {Spec: "allocation-is-immutable", Outcome: suite.Passed},
	"pods with claims cannot be resized": {
		Options: misjudgesPodClaims(func(endpoint string, changes bool) bool { return endpoint != "resize" && !changes }), Spec: "resize-leaves-claims",
		Want: []string{"the API server should accept a resize of a pod whose container uses a claim"},
	},
	"resizes take claims from containers": {
		Options: wrong.With(fakecluster.APIServerMistakes{DropsInUpdates: func(object runtime.Object) {
			if pod, ok := object.(*corev1.Pod); ok {
				pod.Spec.Containers[0].Resources.Claims = nil
			}
		}}),
		Spec: "resize-leaves-claims", Want: []string{"a resize of the pod should leave the claims of the container as they are"},
	},
	"resizes can change claims": {
		Options: misjudgesPodClaims(func(endpoint string, changes bool) bool { return endpoint == "resize" || !changes }), Spec: "resize-leaves-claims",
		Want: []string{"a resize that removes the claims of the container should not change the claims of the container"},
	},
	"updates can change the claims of pods": {
		Options: misjudgesPodClaims(func(endpoint string, changes bool) bool { return endpoint == "" || !changes }), Spec: "resize-leaves-claims",
		Want: []string{"an update that removes the claims of the container should not change the claims of the container"},
	},
	"an API server that keeps the claims of pods": {Spec: "resize-leaves-claims", Outcome: suite.Passed},
	"deleted claims can be reserved": {
		Options: wrong.With(fakecluster.APIServerMistakes{ReservesAnyClaim: true}), Spec: "deleted-claim-is-not-reserved",
		Want: []string{"that changes its consumers to one more while it is being deleted, because of status.reservedFor: <nil>"},
	},
	"an API server that keeps deleted claims from being reserved": {Spec: "deleted-claim-is-not-reserved", Outcome: suite.Passed},
	"claims can be created with a status": {
		Options: wrong.StoresAllParts("create"), Spec: "status-has-its-own-endpoint",
		Want: []string{"a claim that is created with a status should have none"},
	},
	"updates of claims change their status": {
		Options: wrong.StoresAllParts("update"), Spec: "status-has-its-own-endpoint",
		Want: []string{"an update of a claim should leave its status as it is"},
	},
	"updates of the status of claims change the rest": {
		Options: wrong.StoresAllParts("status"), Spec: "status-has-its-own-endpoint",
		Want: []string{"an update of the status of a claim should leave its spec as it is"},
	},
	"an API server that tells the endpoints of claims apart": {Spec: "status-has-its-own-endpoint", Outcome: suite.Passed},
	"no generations are counted": {
		Options: miscounts(func(before int64, _ bool) int64 { return before }), Spec: "generation-counts-changes",
		Want: []string{"a new ResourceSlice should have a generation"},
	},
	"generations stay as they are": {
		Options: miscounts(func(int64, bool) int64 { return 1 }), Spec: "generation-counts-changes",
		Want: []string{"the generation of a ResourceSlice should grow when its spec changes"},
	},
	"generations count all updates": {
		Options: miscounts(func(before int64, _ bool) int64 { return before + 1 }), Spec: "generation-counts-changes",
		Want: []string{"the generation of a ResourceSlice should stay in an update without a change"},
	},
	"generations that grow by ten": {
		Options: miscounts(func(before int64, changed bool) int64 {
			if changed {
				return before + 10
			}
			return before
		}),
		Spec: "generation-counts-changes", Outcome: suite.Passed,
	},
	"an API server that counts changes": {Spec: "generation-counts-changes", Outcome: suite.Passed},
}

func isAllocated(claim *resourceapi.ResourceClaim) bool { return claim.Status.Allocation != nil }

func ignoresInAllocations(ignore func(*resourceapi.AllocationResult)) fakecluster.Options {
	return wrong.With(fakecluster.APIServerMistakes{IgnoresInAllocations: ignore})
}

func miscounts(count func(before int64, changed bool) int64) fakecluster.Options {
	return wrong.With(fakecluster.APIServerMistakes{MiscountsGenerations: count})
}

// misjudgesPodClaims returns the options of a cluster whose API server decides otherwise which
// patches of pods it accepts.
func misjudgesPodClaims(accepts func(endpoint string, changes bool) bool) fakecluster.Options {
	return wrong.With(fakecluster.APIServerMistakes{MisjudgesPodClaims: accepts})
}
