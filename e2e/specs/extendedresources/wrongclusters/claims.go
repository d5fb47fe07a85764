// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongClaims are clusters whose scheduler makes mistakes with the metadata and the
// status of claims for extended resources.
var wrongClaims = wrong.Table{
	"kubelet unprepares the claims only that the spec of a pod names": {
		Options: wrong.With(fakecluster.KubeletMistakes{ForgetsExtended: true}), Spec: "extended-resource-claim-is-unprepared",
		Want: []string{"should be prepared: false"},
	},
	"scheduler keeps the claims of pods that it did not bind": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsExtendedClaims: true}), Spec: "extended-resource-claim-ends-with-failed-binding",
		Want: []string{"the claim for the extended resources of a pod that could not be bound should be deleted"},
	},
	"pods with extended resources are not evicted": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			e.Pods = slices.DeleteFunc(e.Pods, func(pod *corev1.Pod) bool { return pod.Status.ExtendedResourceClaimStatus != nil })
		}),
		Spec: "extended-resource-evicts-pods", Want: []string{"pod card should be evicted, because the device for its extended resource has a taint of the effect NoExecute"},
	},
	"scheduler keeps the devices of extended resources of pods that it did not bind": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "next" {
				s.Objects.Slices = nil
			}
		}),
		Spec: "extended-resource-failed-binding-frees-devices", Want: []string{"pod next is not scheduled"},
	},
	"the status names the claim of the first attempt": {
		Options: misrecords(func(pod *corev1.Pod, _ *resourceapi.ResourceClaim) {
			pod.Status.ExtendedResourceClaimStatus.ResourceClaimName = "failing-extended-resources-first"
		}),
		Spec: "extended-resource-claim-ends-with-failed-binding", Want: []string{"\"failing-extended-resources-first\" not found"},
	},
	"scheduler ignores the claims of earlier attempts": {
		Options: wrong.With(fakecluster.SchedulerMistakes{IgnoresEarlierClaims: true}), Spec: "extended-resource-claim-of-earlier-attempt",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler takes the claim of a former pod for one of the pod": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ComparesOwnerNames: true}), Spec: "extended-resource-claim-of-replaced-pod",
		Want: []string{"is not scheduled"},
	},
	"scheduler names claims after pods": {
		Options: wrong.With(fakecluster.SchedulerMistakes{NamesClaimsAfterPods: true}), Spec: "extended-resource-claim-of-replaced-pod",
		Want: []string{"is not scheduled"},
	},
	"scheduler names no claim in the status": {
		Options: misrecords(func(pod *corev1.Pod, _ *resourceapi.ResourceClaim) { pod.Status.ExtendedResourceClaimStatus = nil }), Spec: "extended-resource-claim-belongs-to-pod",
		Want: []string{"the status of pod pod on node", "has no extendedResourceClaimStatus"},
	},
	"claims have no owner": {
		Options: misrecords(func(_ *corev1.Pod, claim *resourceapi.ResourceClaim) { claim.OwnerReferences = nil }), Spec: "extended-resource-claim-belongs-to-pod",
		Want: []string{"pod pod should own one claim for all of its extended resources"},
	},
	"claims are reserved for nobody": {
		Options: misrecords(func(_ *corev1.Pod, claim *resourceapi.ResourceClaim) { claim.Status.ReservedFor = nil }), Spec: "extended-resource-claim-belongs-to-pod",
		Want: []string{"should be reserved for the pod"},
	},
	"claims have no annotation": {
		Options: misrecords(func(_ *corev1.Pod, claim *resourceapi.ResourceClaim) { claim.Annotations = nil }), Spec: "extended-resource-claim-is-marked",
		Want: []string{"should have the annotation"},
	},
	"claims have the annotation of claims from templates": {
		Options: misrecords(func(_ *corev1.Pod, claim *resourceapi.ResourceClaim) {
			metav1.SetMetaDataAnnotation(&claim.ObjectMeta, resourceapi.PodResourceClaimAnnotation, "devices")
		}),
		Spec: "extended-resource-claim-is-marked", Want: []string{"is not from a template"},
	},
	"claims outlive their pods": {
		Options: misrecords(func(_ *corev1.Pod, claim *resourceapi.ResourceClaim) { claim.OwnerReferences = nil }), Spec: "extended-resource-claim-is-freed",
		Want: []string{"should be removed, because the pod that owns it is deleted"},
	},
	"claims stay reserved for completed pods": {
		Options: wrong.With(fakecluster.ControllerMistakes{HoldsForCompleted: true}), Spec: "extended-resource-ends-with-completed-pod",
		Want: []string{"pod next-card is not scheduled"},
	},
	"scheduler keeps unused claims of pods with extended resources": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsUnusable: true}), Spec: "extended-resource-lets-allocation-move",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler remembers the devices of deleted claims": {
		Options: wrong.Misreads(wrong.KeepReleasedClaims()), Spec: "extended-resource-claim-is-freed",
		Want: []string{"pod second is not scheduled"},
	},
}

// misrecords returns the options of a cluster whose scheduler changes the claim for
// extended resources and the status of its pod after the allocation.
func misrecords(change func(*corev1.Pod, *resourceapi.ResourceClaim)) fakecluster.Options {
	return wrong.With(fakecluster.SchedulerMistakes{MisrecordsExtended: change})
}
