// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ControllerMistakes are the faults of the controllers that make and release claims, evict
// pods, report the status of pools and remove what is deleted.
type ControllerMistakes struct {
	// ReleasesEarly: a claim is deallocated when the first of its pods is
	// removed.
	ReleasesEarly bool
	// MakesNoClaims: no claims are created from templates.
	MakesNoClaims bool
	// HoldsForCompleted: claims stay reserved for pods that have completed.
	HoldsForCompleted bool
	// ReleasesEnding: claims do not stay reserved for pods that are being deleted.
	ReleasesEnding bool
	// ReleasesFirstClaim: only the first claim of a completed pod is released.
	ReleasesFirstClaim bool
	// StopsAtUnneeded: the claims of a completed pod stay reserved for it that follow an entry
	// for a claim which the pod does not need.
	StopsAtUnneeded bool
	// ReservesFirstClaim: of the claims of a pod that was bound to a node without the
	// scheduler, only the first one is reserved.
	ReservesFirstClaim bool
	// HoldsForDeleted: claims stay reserved for pods that are deleted.
	HoldsForDeleted bool
	// ForgetsBound: claims are not reserved for pods that were bound to a node
	// without the scheduler.
	ForgetsBound bool
	// ReservesForNewPods: claims are reserved for pods that were bound to a node without the
	// scheduler only if they are allocated when the pod is created.
	ReservesForNewPods bool
	// KeepsDeleted: kube-controller-manager does not remove its finalizer from deleted
	// claims whose pods are gone.
	KeepsDeleted bool
	// KeepsUnusedDeleted: kube-controller-manager does not remove its finalizer from deleted
	// claims that nothing has used.
	KeepsUnusedDeleted bool
	// RemovesAllFinalizers: kube-controller-manager removes all finalizers from deleted claims
	// whose pods are gone.
	RemovesAllFinalizers bool
	// KeepsNamespaces: a deleted namespace is not removed.
	KeepsNamespaces bool
	// MisgeneratesClaims changes claims that are created from templates.
	MisgeneratesClaims func(*resourceapi.DeviceClaim)
	// Misevicts changes what the controller that evicts pods from devices knows
	// about an allocated device.
	Misevicts func(*Eviction)
	// ReadsOldGenerations: pods are evicted by the taints in the first slice that has
	// their device, whose generation may be old.
	ReadsOldGenerations bool
	// AddsOldGenerations: pods are also evicted by taints in slices of old generations.
	AddsOldGenerations bool
	// MisreadsEvictingRules changes the DeviceTaintRules that the controller that evicts pods
	// sees.
	MisreadsEvictingRules func(*resourceapi.DeviceTaintRule)
	// EvictsWithoutCondition: evicted pods have no condition that states it.
	EvictsWithoutCondition bool
	// MistellsEvictions changes the condition of a DeviceTaintRule that states whether
	// pods have to be evicted. The rule has the one before. The rule stays as it is if
	// it returns false.
	MistellsEvictions func(rule *resourceapi.DeviceTaintRule, condition *metav1.Condition) bool
	// Miscounts changes the answer to a request for the status of pools.
	Miscounts func(*resourcev1alpha3.ResourcePoolStatusRequest)
	// IgnoresPodGroups: no claims are created for PodGroups, but for each of their
	// pods.
	IgnoresPodGroups bool
	// MismakesGroupClaims changes claims that are created for PodGroups.
	MismakesGroupClaims func(*resourceapi.ResourceClaim)
	// FreesClaimsOfGroups: claims of PodGroups are deallocated and deleted when their
	// pods are gone.
	FreesClaimsOfGroups bool
	// GivesUpOnTemplates: no claims are created for a pod whose template did not
	// exist at the first attempt.
	GivesUpOnTemplates bool
	// GivesUpOnQuotas: no claims are created for a pod whose claim exceeded a quota at the
	// first attempt.
	GivesUpOnQuotas bool
	// MakesClaimsAgain: if a template of a pod is missing, the claims from its other
	// templates are created again at each attempt.
	MakesClaimsAgain bool
	// ShortensNoNames: no claims are created whose names would be too long with the
	// names of their pod and entry.
	ShortensNoNames bool
	// TakesNamesakes: a claim stays reserved for a pod that is gone if there is another
	// of its name a few seconds later.
	TakesNamesakes bool
	// RemovesUnknownConsumers: claims do not stay reserved for objects that are neither
	// pods nor PodGroups.
	RemovesUnknownConsumers bool
	// StopsAtUnknownConsumers: claims that are reserved for such objects also stay reserved
	// for pods that are deleted.
	StopsAtUnknownConsumers bool
	// MakesFirstClaimOfGroups: a claim is created for the first entry of a PodGroup only.
	MakesFirstClaimOfGroups bool
	// MismakesClaims changes a claim that is created from a template.
	MismakesClaims func(*corev1.Pod, *resourceapi.ResourceClaim)
	// MisstatesClaims changes which claims were created from templates, in the
	// status of pods.
	MisstatesClaims func([]corev1.PodResourceClaimStatus)
	// StatesMissingOnly: if the status of a pod lacks one of its claims, those that it has are
	// replaced.
	StatesMissingOnly bool
	// UpdatesClaims: a claim that was created from a template changes if there is
	// another template of that name.
	UpdatesClaims bool
	// TakesFormerClaims: a pod gets the claims that were created for a former pod of its name, if
	// they exist.
	TakesFormerClaims bool
	// KeepsOrphans: a claim that was created for a pod is not removed with the pod.
	KeepsOrphans bool
	// KeepsClaimsOfCompleted: a claim that was created for a pod is not removed when the pod has
	// completed.
	KeepsClaimsOfCompleted bool
	// MisrecountsQuotas returns what the claims of a namespace use of a quota by its status when
	// one of them is removed, given what they used before that and what the others use.
	MisrecountsQuotas func(before, left int64) int64
}

func (m ControllerMistakes) addTo(all *Mistakes) { all.ControllerMistakes = m }
