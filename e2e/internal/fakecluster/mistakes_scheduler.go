// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// SchedulerMistakes are the faults of the scheduler, except those with prioritized lists.
type SchedulerMistakes struct {
	// IgnoresCounters: the scheduler ignores the counters that devices consume.
	IgnoresCounters bool
	// SpreadsParents: the scheduler ignores matchAttribute and, if possible,
	// allocates the first two requests from different parent devices.
	SpreadsParents bool
	// IgnoresSelectors: the scheduler ignores the selectors of requests.
	IgnoresSelectors bool
	// ForgetsRequests: the scheduler allocates the same device for equal
	// requests that follow each other.
	ForgetsRequests bool
	// ForgetsClaims: the scheduler ignores the devices of other claims.
	ForgetsClaims bool
	// SkipsRequests: the scheduler allocates only the first request of a claim.
	SkipsRequests bool
	// InventsDevices: the scheduler allocates a device that is in no
	// ResourceSlice.
	InventsDevices bool
	// KeepsCounters: the scheduler treats deallocated and deleted claims as
	// allocated.
	KeepsCounters bool
	// GivesInAfter: the scheduler ignores counters for a pod that has been
	// unschedulable for this long.
	GivesInAfter time.Duration
	// RefusesAll: the scheduler finds every pod unschedulable.
	RefusesAll bool
	// NeverReports: the scheduler does not report unschedulable pods.
	NeverReports bool
	// BindsFirst: the scheduler binds a pod whose claim could not be reserved.
	BindsFirst bool
	// KeepsReservations: the claims of a pod that the scheduler could not bind stay
	// reserved for it.
	KeepsReservations bool
	// KeepsExtendedClaims: the scheduler does not delete the claim for the extended
	// resources of a pod that it could not bind.
	KeepsExtendedClaims bool
	// IgnoresEarlierClaims: the scheduler does not look for a claim for the extended
	// resources of a pod that an earlier attempt left.
	IgnoresEarlierClaims bool
	// ComparesOwnerNames: the scheduler takes the claim for the extended resources of any pod of
	// the name as one that an earlier attempt left.
	ComparesOwnerNames bool
	// NamesClaimsAfterPods: the claim for the extended resources of a pod has the same name for
	// all pods of the name.
	NamesClaimsAfterPods bool
	// AddsNoFinalizers: the scheduler adds no finalizer to the claims that it
	// allocates, so that they are removed when they are deleted.
	AddsNoFinalizers bool
	// ReplacesFinalizers: the scheduler removes the finalizers of others from the claims that it
	// allocates.
	ReplacesFinalizers bool
	// ReadsFirstTermOnly: the scheduler uses a claim only on the nodes that the first term of its
	// allocation selects.
	ReadsFirstTermOnly bool
	// KeepsNodesOfClaims: the scheduler uses a claim on the nodes that its first allocation has
	// selected, also if it was allocated anew.
	KeepsNodesOfClaims bool
	// NeverPreempts: the scheduler evicts no pods for others of a higher priority that
	// have claims.
	NeverPreempts bool
	// PreemptsForNewOnly: the scheduler evicts no pods for others whose claims are all
	// allocated.
	PreemptsForNewOnly bool
	// PreemptsInVain: the scheduler evicts pods from a node for others without
	// regard to whether their claims can be allocated there.
	PreemptsInVain bool
	// IgnoresDeclaredFeatures: the scheduler does not look at the features of a node
	// for claims that are allocated.
	IgnoresDeclaredFeatures bool
	// IgnoresFeaturesOfSelected: the same for claims whose allocation selects nodes.
	IgnoresFeaturesOfSelected bool
	// ReadsFirstOperations: only the first device of an allocated claim decides whether
	// its node must be able to skip operations.
	ReadsFirstOperations bool
	// ReservesForPods: the scheduler reserves the claims of PodGroups for pods.
	ReservesForPods bool
	// ReservesNamedForPods: the same, but only those that the PodGroup names.
	ReservesNamedForPods bool
	// ComparesEntryNamesOnly: an entry of a pod is for a claim of its PodGroup if
	// both have the same name.
	ComparesEntryNamesOnly bool
	// SplitsGangs: pods of a group that must be scheduled together are scheduled one by one.
	SplitsGangs bool
	// IgnoresGates: the scheduler schedules pods that have scheduling gates.
	IgnoresGates bool
	// Overlooks is a resource whose changes do not make the scheduler try pods
	// again that it found unschedulable.
	Overlooks string
	// OverlooksForExtended is the same for pods that request extended resources.
	OverlooksForExtended string
	// MaxConsumers is the number of pods for which the scheduler reserves a claim.
	// Zero means the limit of the API.
	MaxConsumers int
	// KeepsUnusable: the scheduler does not deallocate unused claims because of
	// which a pod is unschedulable.
	KeepsUnusable bool
	// MovesUsed: the scheduler deallocates such claims even if other pods use them.
	MovesUsed bool
	// CountsPodsOnly: the scheduler deallocates such claims if only consumers use them that
	// are no pods.
	CountsPodsOnly bool
	// StopsAtUsed: the scheduler deallocates no claim after one that other pods use.
	StopsAtUsed bool
	// MovesOneClaim: the scheduler deallocates only the first unused claim of a pod.
	MovesOneClaim bool
	// KeepsOwn: the scheduler does not deallocate claims that are reserved for the pod
	// itself.
	KeepsOwn bool
	// ExcludesConsumers: a pod waits for a claim with the maximum number of consumers
	// also if it is one of them.
	ExcludesConsumers bool
	// UnreservesAll: when a pod cannot be bound, the scheduler removes all reservations
	// of its claims.
	UnreservesAll bool
	// StopsUnreserving: when a claim of a pod that cannot be bound cannot be updated, the
	// scheduler keeps the later claims of the pod reserved too.
	StopsUnreserving bool
	// ComparesConsumerNames: a claim that is reserved for a pod is reserved for all pods of
	// this name.
	ComparesConsumerNames bool
	// OverwritesReservations: a reservation replaces the last one that was stored before
	// it, as if the scheduler did not know that one.
	OverwritesReservations bool
	// RemembersReservations: the scheduler takes claims that it has reserved for a pod in an
	// attempt to bind it as reserved in the next one.
	RemembersReservations bool
	// ScoresLastClaimOnly: the scheduler prefers nodes by the lists of the last claim of
	// a pod only.
	ScoresLastClaimOnly bool
	// AcceptsSubstitutes: the scheduler takes any claim with the name of a generated one.
	AcceptsSubstitutes bool
	// SharesGenerated: the scheduler takes the generated claim of any pod with the name of a
	// generated one.
	SharesGenerated bool
	// SkipsAbsent: a pod does not wait for a claim that does not exist if another of its
	// claims does.
	SkipsAbsent bool
	// NeedsAllGenerated: a pod waits for generated claims that its status does not name.
	NeedsAllGenerated bool
	// LosesClassConfig: the configuration of DeviceClasses is lost.
	LosesClassConfig bool
	// MisreadsReadiness changes what the scheduler knows about an allocated claim
	// when it decides whether its devices are ready.
	MisreadsReadiness func(*Readiness)
	// KeepsFailed: the scheduler does not deallocate claims whose devices have
	// failed.
	KeepsFailed bool
	// KeepsFailedShared: the scheduler does not deallocate claims whose devices have failed if
	// several pods wait for them, as each of these pods stays a consumer.
	KeepsFailedShared bool
	// WaitsForever: the scheduler does not give up devices that were not ready in time.
	WaitsForever bool
	// WaitsAlone: the scheduler schedules no other pods while one waits for its
	// devices.
	WaitsAlone bool
	// Misreads changes the input of the scheduler. Unlike with other faults,
	// the changed claims of the pod are stored.
	Misreads func(*Scene)
	// MisrequestsExtended changes the claim that the scheduler allocates for the
	// extended resources of a pod.
	MisrequestsExtended func(*corev1.Pod, *ExtendedClaim)
	// MisrecordsExtended changes this claim, and the status of its pod, after the
	// allocation.
	MisrecordsExtended func(*corev1.Pod, *resourceapi.ResourceClaim)
	// MisstatesResources changes the resources of claims in the status of a pod.
	MisstatesResources func([]corev1.NodeAllocatableResourceClaimStatus) []corev1.NodeAllocatableResourceClaimStatus
	// MisreadsRules changes a DeviceTaintRule that the scheduler reads.
	MisreadsRules func(*resourceapi.DeviceTaintRule)
	// Miswrites changes the allocations that the scheduler chose for
	// Scene.Claims.
	Miswrites func(*Scene, []resourceapi.AllocationResult)
}

func (m SchedulerMistakes) addTo(all *Mistakes) { all.SchedulerMistakes = m }
